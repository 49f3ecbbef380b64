import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { IdentityProvider } from "../../identity-provider/identity-provider.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { refusedSoon } from "../harness/refused-soon.ts";
import { type PageResponse, WebPage } from "../harness/web-page.ts";

const MAPPING = [
  { value: "berth-admins", organization: "acme", role: "admin" },
  { value: "engineers", organization: "acme" },
  { value: "others", organization: "other" },
];

let directory: string;
let provider: IdentityProvider;
let berth: Berth;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "berth-oidc-"));
  writeFileSync(join(directory, "secret"), "a secret of the client\n", { mode: 0o600 });
  provider = await IdentityProvider.create();
  berth = await Berth.start({
    settings: {
      BERTH_LOG_LEVEL: "debug",
      BERTH_OIDC_ISSUER: provider.issuer,
      BERTH_OIDC_CLIENT_ID: "berth",
      BERTH_OIDC_CLIENT_SECRET_FILE: join(directory, "secret"),
      BERTH_OIDC_SCOPES: "openid,email,groups",
      BERTH_OIDC_CLAIM: "groups",
      BERTH_OIDC_MAPPING: JSON.stringify(MAPPING),
    },
  });
});
after(async () => {
  await berth.stop();
  await provider.stop();
  rmSync(directory, { recursive: true });
});

const startProvider = () =>
  provider.start({
    id: "berth",
    secret: "a secret of the client",
    redirectUris: [`${berth.url}/console/auth/oidc/callback`],
  });

/** Follows redirects until the next address is the service's. Returns that address. */
async function toCallback(page: WebPage, first: string): Promise<string> {
  let next = first;
  while (!next.startsWith(berth.url)) {
    const { status, headers, body } = await page.get(next);
    const location = headers.get("location");
    assert.ok(
      status >= 300 && status < 400 && location !== null,
      `${status} ${next}: ${JSON.stringify(body)}`,
    );
    next = new URL(location, next).href;
  }
  return next;
}

async function begin(page: WebPage, query = ""): Promise<string> {
  const { status, headers, body } = await page.get(`/console/auth/oidc${query}`);
  assert.equal(status, 302, JSON.stringify(body));
  return headers.get("location") ?? "";
}

/** Opens an address as if by a link of the provider, another site. */
const finish = (page: WebPage, address: string): Promise<PageResponse> =>
  page.get(address, { "sec-fetch-site": "cross-site" });

async function signIn(page: WebPage, account: string, query = ""): Promise<PageResponse> {
  provider.signedIn = account;
  return await finish(page, await toCallback(page, await begin(page, query)));
}

const ACCOUNTS = {
  ada: { email: "ada@example.com", email_verified: true, groups: ["engineers", "berth-admins"] },
  bob: { email: "bob@example.com", email_verified: true, groups: ["engineers"] },
};

/** Returns the provider's response for this page, not yet sent to the service. */
async function answerFor(page: WebPage, account = "bob"): Promise<URL> {
  provider.signedIn = account;
  return new URL(await toCallback(page, await begin(page)));
}

/** Asserts that a response of the provider signs nobody in. */
async function assertRejected(page: WebPage, address: URL, said: RegExp, status = 400): Promise<void> {
  const rejected = await finish(page, address.href);
  assert.equal(rejected.status, status, JSON.stringify(rejected.body));
  assert.match(rejected.body.error.message, said);
  assert.equal(rejected.body.request_id, rejected.headers.get("x-request-id"));
  assert.equal((await page.get("/api/v1/cloud/agents")).status, 401);
}

covers(
  ["console-oidc"],
  "provider away: the service runs, says why nobody can sign in, and signs in once it is there",
  async () => {
    const page = new WebPage(berth.url);
    assert.deepEqual((await page.get("/console/auth/methods")).body, { oidc: true });
    const { status, body } = await page.get("/console/auth/oidc");
    assert.deepEqual([status, body.error.type], [502, "api_error"]);
    assert.match(
      body.error.message,
      /identity provider http:\/\/127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/,
    );
    const people = await page.get("/console/auth/oidc", { accept: "text/html" });
    assert.deepEqual([people.status, people.headers.get("content-type")], [502, "text/html; charset=utf-8"]);
    assert.match(people.body, /cannot be used[\s\S]*Back to the console/);
    for (const [id, claims] of Object.entries(ACCOUNTS)) provider.accounts.set(id, claims);
    await startProvider();
    const done = await signIn(page, "ada", "?return_to=/console/sessions%3Ftab%3Dall");
    assert.equal(done.status, 302, JSON.stringify(done.body));
    assert.equal(done.headers.get("location"), "/console/sessions?tab=all");
    const { body: current } = await page.get("/api/v1/cloud/tokens/current");
    assert.deepEqual(
      [current.kind, current.signed_in_by, current.parent_id, current.scopes, current.organization.name],
      ["console", "oidc", null, ["*"], "acme"],
    );
    assert.deepEqual([current.user.email, current.user.role], ["ada@example.com", "admin"]);
    const made = await page.post("/api/v1/cloud/tokens", { name: "laptop" });
    const days = (Date.parse(made.body.expires_at) - Date.now()) / 86_400_000;
    assert.ok(days > 89 && days <= 90, `a token made in the console outlives the sign-in, for ${days} days`);
  },
);

covers(
  ["console-oidc-answers"],
  "an answer counts for the browser that asked, once: absent, foreign, stolen and replayed state",
  async () => {
    const [ada, mallory, victim] = [new WebPage(berth.url), new WebPage(berth.url), new WebPage(berth.url)];
    const answer = await answerFor(mallory);
    await assertRejected(victim, answer, /is for another browser/);
    await begin(victim);
    await assertRejected(victim, answer, /is for another browser/);
    const stolen = new URL(answer);
    const asked = new URL(await begin(victim));
    stolen.searchParams.set("state", asked.searchParams.get("state") ?? "");
    await assertRejected(mallory, stolen, /is for another browser/);

    const whole = await answerFor(ada);
    for (const state of [null, "", "x"]) {
      const altered = new URL(whole);
      altered.searchParams.delete("state");
      if (state !== null) altered.searchParams.set("state", state);
      const copy = new WebPage(berth.url);
      for (const [name, value] of ada.cookies) copy.cookies.set(name, value);
      await assertRejected(copy, altered, /is for another browser/);
    }
    const cookies = [...ada.cookies];
    assert.equal((await finish(ada, whole.href)).status, 302);
    const again = new WebPage(berth.url);
    for (const [name, value] of cookies) again.cookies.set(name, value);
    await assertRejected(again, whole, /came too late or was already used/);
  },
);

covers(
  ["console-oidc-answers"],
  "the provider's answer is checked: issuer, nonce, code verifier, code, and a refusal",
  async () => {
    const page = new WebPage(berth.url);
    const mixedUp = await answerFor(page);
    mixedUp.searchParams.set("iss", "https://evil.example");
    await assertRejected(page, mixedUp, /response is invalid: .*iss/);
    const withoutIssuer = await answerFor(page);
    withoutIssuer.searchParams.delete("iss");
    await assertRejected(page, withoutIssuer, /response is invalid: .*iss/);

    provider.signedIn = "bob";
    const otherNonce = new URL(await begin(page));
    otherNonce.searchParams.set("nonce", "of another sign-in");
    await assertRejected(
      page,
      new URL(await toCallback(page, otherNonce.href)),
      /response is invalid: .*nonce/,
    );

    const mallory = new WebPage(berth.url);
    const injected = await answerFor(page);
    injected.searchParams.set("code", (await answerFor(mallory, "ada")).searchParams.get("code") ?? "");
    await assertRejected(page, injected, /response is invalid: .*invalid_grant/);
    const unknown = await answerFor(page);
    unknown.searchParams.set("code", "guessed");
    await assertRejected(page, unknown, /response is invalid: .*invalid_grant/);

    provider.signedIn = null;
    const stranger = new WebPage(berth.url);
    const refused = new URL(await toCallback(stranger, await begin(stranger)));
    await assertRejected(stranger, refused, /refused the sign-in: access_denied/, 403);
  },
);

covers(
  ["console-return-to"],
  "return_to: a page of the console or nothing, and no start from another site or for another host",
  async () => {
    const page = new WebPage(berth.url);
    for (const given of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example/console/",
      "https:evil.example",
      "/console/..//evil.example",
      "/console/%2e%2e/%2e%2e//evil.example",
      "/console/%5c..%5c..%5cevil.example/..\\..\\",
      "/console@evil.example/",
      "/console.evil.example/",
      "/docs",
      "/console/auth/sign-out",
      "\t//evil.example",
    ]) {
      const { status, body } = await page.get(`/console/auth/oidc?return_to=${encodeURIComponent(given)}`);
      if (status !== 302) {
        assert.deepEqual([status, body.error.param], [400, "return_to"], given);
        continue;
      }
      const location = (await signIn(page, "bob", `?return_to=${encodeURIComponent(given)}`)).headers.get(
        "location",
      );
      const reached = new URL(location ?? "", berth.url);
      assert.ok(
        reached.origin === berth.url && reached.pathname.startsWith("/console/"),
        `${given}: ${location}`,
      );
    }
    for (const [headers, status] of [
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "sec-fetch-site": "same-site" }, 403],
      [{ host: "evil.example" }, 403],
      [{ "sec-fetch-site": "none" }, 302],
    ] as const)
      assert.equal((await page.get("/console/auth/oidc", headers)).status, status, JSON.stringify(headers));
    assert.equal((await page.get("/console/auth/oidc?next=/console/")).status, 400);
  },
);

covers(
  ["console-oidc-users"],
  "the claim decides about organization and role, at each sign-in; an account stays the same user",
  async () => {
    const userAfter = async (account: string, claims: object) => {
      // A new page, since the provider remembers the account that signed in in a browser.
      const page = new WebPage(berth.url);
      provider.accounts.set(account, claims as Record<string, unknown>);
      const done = await signIn(page, account);
      assert.equal(done.status, 302, JSON.stringify(done.body));
      return (await page.get("/api/v1/cloud/tokens/current")).body.user;
    };
    const first = await userAfter("eve", { email: "eve@example.com", groups: ["engineers"] });
    assert.equal(first.role, "member");
    const raised = await userAfter("eve", { email: "eve.new@example.com", groups: ["berth-admins"] });
    assert.deepEqual([raised.id, raised.email, raised.role], [first.id, "eve@example.com", "admin"]);
    const lowered = await userAfter("eve", { email: "eve@example.com", groups: ["x", "engineers"] });
    assert.deepEqual([lowered.id, lowered.role], [first.id, "member"]);

    await berth.command("bootstrap", "--user", "carl@example.com", "--org", "acme");
    const carl = await userAfter("carl", {
      email: "carl@example.com",
      email_verified: true,
      groups: "engineers",
    });
    assert.equal(carl.email, "carl@example.com", "the one that the operator made");

    const rejected = async (account: string, claims: object, said: RegExp) => {
      provider.accounts.set(account, claims as Record<string, unknown>);
      const stranger = new WebPage(berth.url);
      const { status, body } = await signIn(stranger, account);
      assert.equal(status, 403, JSON.stringify(body));
      assert.match(body.error.message, said);
      assert.equal((await stranger.get("/api/v1/cloud/agents")).status, 401);
    };
    await rejected(
      "dan",
      { email: "dan@example.com", groups: ["guests"] },
      /Your claim 'groups' has no value/,
    );
    await rejected("dan", { email: "dan@example.com" }, /Your claim 'groups' has no value/);
    await rejected("dan", { groups: ["engineers"] }, /no email address/);
    const unverified = { email: "ada@example.com", email_verified: false, groups: ["engineers"] };
    await rejected("dan", unverified, /no email address/);
    await rejected(
      "dan",
      { ...unverified, email_verified: true },
      /Your email address already belongs to another account/,
    );
    await rejected(
      "eve",
      { email: "eve@example.com", groups: ["others"] },
      /you belong to another organization/,
    );
  },
);

covers(
  ["console-ends"],
  "a user who is disabled is out at the next request, and cannot sign in again until enabled",
  async () => {
    const page = new WebPage(berth.url);
    assert.equal((await signIn(page, "bob")).status, 302);
    assert.equal((await page.get("/api/v1/cloud/agents")).status, 200);
    await berth.command("admin", "users", "disable", "bob@example.com");
    const { status, body } = await refusedSoon(() => page.get("/api/v1/cloud/agents"));
    assert.deepEqual([status, body.error.message], [401, "The user of this token is disabled."]);
    assert.equal((await signIn(page, "bob")).status, 401);
    await berth.command("admin", "users", "enable", "bob@example.com");
    assert.equal((await signIn(page, "bob")).status, 302);
  },
);

covers(["console-secrets"], "no code, state, secret or cookie of a sign-in is in the log", async () => {
  const page = new WebPage(berth.url);
  const answer = await answerFor(page);
  const before = page.cookieHeader;
  assert.equal((await finish(page, answer.href)).status, 302);
  const secrets = [
    ...["code", "state"].map((name) => answer.searchParams.get(name) ?? ""),
    ...`${before}; ${page.cookieHeader}`.split("; ").map((pair) => pair.slice(pair.indexOf("=") + 1)),
    "a secret of the client",
  ];
  assert.ok(secrets.length > 4);
  for (const secret of secrets) assert.ok(!berth.log.includes(secret), secret);
});
