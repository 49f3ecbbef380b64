// Subject: the identity provider, where tests over HTTP cannot reach it: time, limits, and wrongly configured
// providers.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  type Client,
  IdentityProvider,
} from "../../../../../../tests/identity-provider/identity-provider.ts";
import { openPage, type Page } from "../../../../test-support/console.ts";
import { callerOf, testApp } from "../../../../test-support/http.ts";
import { sweepSignIns } from "../sweep-sign-ins.ts";
import type { OidcSettings } from "./oidc-settings.ts";

const CALLBACK = "http://localhost/console/auth/oidc/callback";
const SECRET = "a secret: with / and +";

/** Starts a service and a provider that knows it. */
async function setUp(t: TestContext, settings: Partial<OidcSettings> = {}, client: Partial<Client> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "berth-oidc-"));
  const secretFile = join(directory, "secret");
  writeFileSync(secretFile, SECRET);
  const provider = await IdentityProvider.create();
  provider.accounts.set("ada", { email: "ada@example.com", groups: ["staff"] });
  provider.signedIn = "ada";
  await provider.start({ id: "berth", secret: SECRET, redirectUris: [CALLBACK], ...client });
  t.after(async () => {
    await provider.stop();
    rmSync(directory, { recursive: true });
  });
  const { app, db } = await testApp(t, {
    oidc: {
      issuer: provider.issuer,
      clientId: "berth",
      clientSecretFile: secretFile,
      scopes: ["openid", "email", "groups"],
      claim: "groups",
      mapping: [{ value: "staff", organization: "acme", role: "member" }],
      ...settings,
    },
  });
  return { app, db, secretFile, page: openPage(app) };
}

/** Signs in at the provider, and returns the path with which the browser comes back. */
async function answerOf(page: Page): Promise<string> {
  const { status, headers, text } = await page.get("/console/auth/oidc");
  assert.equal(status, 302, text);
  let next = String(headers.location);
  const cookies = new Map<string, string>();
  while (!next.startsWith(CALLBACK)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { redirect: "manual", headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    next = new URL(response.headers.get("location") ?? assert.fail(await response.text()), next).href;
  }
  return next.slice("http://localhost".length);
}

for (const method of ["client_secret_basic", "client_secret_post"] as const)
  test(`provider: the service shows its secret as the provider takes it, by ${method}`, async (t) => {
    const { page } = await setUp(t, {}, { method });
    const { status, text } = await page.get(await answerOf(page));
    assert.equal(status, 302, text);
    assert.equal((await page.get("/tokens/current")).body.user.email, "ada@example.com");
  });

test("answer: not after ten minutes, and then its request is swept", async (t) => {
  const { page, db } = await setUp(t);
  const answer = await answerOf(page);
  await answerOf(openPage((await setUp(t)).app));
  await db.write.query({ text: "update oidc_requests set expires_at = now()" });
  const late = await page.get(answer);
  assert.deepEqual([late.status, page.cookies.size], [400, 0]);
  assert.match(late.body.error.message, /came too late/);
  await page.get("/console/auth/oidc");
  await db.write.query({ text: "update oidc_requests set expires_at = now()" });
  await sweepSignIns(db.write);
  assert.equal((await db.read.query({ text: "select from oidc_requests" })).rowCount, 0);
});

test("tokens that are created in a sign-in by the provider expire after 90 days at the latest, but for independent ones", async (t) => {
  const { page, app } = await setUp(t);
  await page.get(await answerOf(page));
  const made = async (fields: object) => await page.post("/tokens", { name: "a", ...fields });
  const days = async (fields: object) => {
    const { status, text, body } = await made(fields);
    assert.equal(status, 200, text);
    return body.expires_at && Math.round((Date.parse(body.expires_at) - Date.now()) / 86_400_000);
  };
  const after = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
  assert.equal(await days({}), 90);
  assert.equal(await days({ expires_at: after(3) }), 3);
  const late = await made({ expires_at: after(91) });
  assert.deepEqual([late.status, late.body.error.param], [400, "expires_at"]);
  const device = callerOf(app, "");
  const asked = await device.made("/device_authorizations", { scopes: ["*"] });
  await page.post("/device_authorizations/approve", { user_code: asked.user_code });
  const given = await device.made("/device_tokens", { device_code: asked.device_code });
  assert.ok(Date.parse(given.expires_at) <= Date.now() + 90 * 86_400_000);
});

test("start: a hundred are under way for one address, and no more", async (t) => {
  const { page, db } = await setUp(t);
  await db.write.query({
    text: `insert into oidc_requests (secret_hash, return_to, client_network, expires_at)
      select decode(md5(n::text), 'hex'), '/console/', '127.0.0.1', now() + interval '1 minute'
      from generate_series(1, 100) as n`,
  });
  const { status, body } = await page.get("/console/auth/oidc");
  assert.equal(status, 429);
  assert.match(body.error.message, /client address's limit of 100 sign-ins/);
  await db.write.query({ text: "update oidc_requests set client_network = '192.0.2.7'" });
  assert.equal((await page.get("/console/auth/oidc")).status, 302);
});

test("provider: one that says that it is another, a secret that is missing or wrong: told to who signs in", async (t) => {
  const slash = await setUp(t, { issuer: "http://127.0.0.1:9" });
  assert.match(
    (await slash.page.get("/console/auth/oidc")).body.error.message,
    /127\.0\.0\.1:9 cannot be used/,
  );

  const other = await setUp(t);
  rmSync(other.secretFile);
  const missing = await other.page.get("/console/auth/oidc");
  assert.deepEqual([missing.status, missing.body.error.type], [502, "api_error"]);
  assert.match(missing.body.error.message, /ENOENT/);
  writeFileSync(other.secretFile, "another secret");
  const { status, body } = await other.page.get(await answerOf(other.page));
  assert.equal(status, 502);
  assert.match(body.error.message, /rejects the client id or secret/);
  assert.ok(!body.error.message.includes("another secret"));
});

test("provider: its issuer has to be the configured one, to the letter", async (t) => {
  const provider = await IdentityProvider.create();
  await provider.start({ id: "berth", secret: SECRET, redirectUris: [CALLBACK] });
  t.after(() => provider.stop());
  const { page } = await setUp(t, { issuer: provider.issuer.replace("127.0.0.1", "localhost") });
  const { status, body } = await page.get("/console/auth/oidc");
  assert.equal(status, 502);
  assert.match(body.error.message, /cannot be used: .*issuer/);
});
