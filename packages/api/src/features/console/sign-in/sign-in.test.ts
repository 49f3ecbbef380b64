// Subject: sign-ins to the console by token and by link: what they may do, and how they end.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPage } from "../../../../test-support/console.ts";
import { callerOf, type TestApp, testApp, type Wire } from "../../../../test-support/http.ts";
import { sweepSignIns } from "../sweep-sign-ins.ts";

async function run({ db }: TestApp, text: string): Promise<Wire[]> {
  return (await db.write.query<Wire>({ text })).rows;
}

const HOUR_MS = 3_600_000;

describe("sign-ins to the console", () => {
  test("by token: a row of the list of tokens, with the scopes of the token, for 12 hours", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller({ scopes: ["tokens:read", "agents:read"] });
    const page = openPage(app.app);
    const { status, text, headers } = await page.post("/console/auth/token", { token: ` ${owner.token}\n` });
    assert.deepEqual([status, text], [204, ""]);
    const [cookie = ""] = [headers["set-cookie"]].flat();
    assert.match(
      String(cookie),
      /^berth_console=berth_console_\w{46}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(headers["cache-control"], "no-store");
    const current = await page.get("/tokens/current");
    assert.equal(current.status, 200, current.text);
    assert.equal(current.headers["cache-control"], "no-store");
    const { body: parent } = await owner.get("/tokens/current");
    const [listed] = (await page.get("/tokens")).body.data;
    assert.deepEqual(
      [listed.id, listed.kind, listed.signed_in_by, listed.parent_id, listed.scopes, listed.name],
      [
        current.body.id,
        "console",
        "token",
        parent.id,
        ["tokens:read", "agents:read"],
        "console sign-in from 127.0.0.1",
      ],
    );
    assert.equal(parent.signed_in_by, null);
    const hours = (Date.parse(listed.expires_at) - Date.parse(listed.created_at)) / HOUR_MS;
    assert.ok(Math.abs(hours - 12) < 0.01, `${hours}`);
    assert.equal((await page.get("/sessions")).status, 403);
    assert.equal((await page.get("/agents")).status, 200);
  });

  test("expires with the token; a token that it creates has the life of the one that it was made with", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller({ expiresInSeconds: 86_400 });
    const brief = await app.caller({ expiresInSeconds: 3_600 });
    const { body: origin } = await owner.get("/tokens/current");
    const page = openPage(app.app);
    await page.signIn(owner.token);
    const made = (await page.post("/tokens", { name: "made in the console" })).body;
    assert.equal(made.expires_at, origin.expires_at);
    const short = openPage(app.app);
    await short.signIn(brief.token);
    const { body: signIn } = await short.get("/tokens/current");
    assert.equal(signIn.expires_at, (await brief.get("/tokens/current")).body.expires_at);
    assert.equal((await page.post("/console/auth/sign-out")).status, 204);
    const kept = callerOf(app.app, made.token);
    assert.equal((await kept.get("/tokens/current")).body.parent_id, origin.id, "handed over");
    assert.equal((await owner.delete(`/tokens/${origin.id}`)).status, 200);
    assert.equal((await kept.get("/agents")).status, 401);
  });

  test("revoked by its row in the list: it ends, with what was created with it", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const page = openPage(app.app);
    await page.signIn(owner.token);
    const made = (await page.post("/tokens", { name: "made in the console" })).body;
    const { id } = (await page.get("/tokens/current")).body;
    assert.deepEqual((await owner.delete(`/tokens/${id}`)).body.revoked_descendants, [made.id]);
    const ended = await page.get("/agents");
    assert.deepEqual(
      [ended.status, ended.body.error.message],
      [401, "The sign-in to the console has ended. Sign in again."],
    );
    assert.equal((await callerOf(app.app, made.token).get("/agents")).status, 401);
  });

  test("ends with its token, with its user, and after 12 hours", async (t) => {
    const app = await testApp(t);
    const page = openPage(app.app);
    const fresh = async () => {
      const owner = await app.caller({ email: "ada@example.com" });
      await page.signIn(owner.token);
      assert.equal((await page.get("/agents")).status, 200);
      return owner;
    };
    const owner = await fresh();
    await owner.delete(`/tokens/${(await owner.get("/tokens/current")).body.id}`);
    assert.equal((await page.get("/agents")).status, 401);
    await fresh();
    await run(app, "update tokens set expires_at = now() where kind = 'console' and revoked_at is null");
    assert.equal((await page.get("/agents")).status, 401);
    await fresh();
    await run(app, "update users set disabled_at = now()");
    const disabled = await page.get("/agents");
    assert.deepEqual(
      [disabled.status, disabled.body.error.message],
      [401, "The user of this token is disabled."],
    );
    await run(app, "update users set disabled_at = null");
    assert.equal((await page.get("/agents")).status, 200);
    await run(app, "delete from users");
    assert.equal((await page.get("/agents")).status, 401, "the user is erased");
  });

  test("another sign-in in the browser: another secret, and the former one has ended", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const page = openPage(app.app);
    await page.signIn(owner.token);
    const former = openPage(app.app);
    former.cookies.set("berth_console", page.cookies.get("berth_console") ?? "");
    await page.signIn(owner.token);
    assert.notEqual(page.cookies.get("berth_console"), former.cookies.get("berth_console"));
    assert.equal((await former.get("/agents")).status, 401);
    assert.equal((await page.get("/agents")).status, 200);
  });

  test("not with a service account's token, an unknown or malformed one, or a sign-in", async (t) => {
    const app = await testApp(t);
    const account = await app.caller({ kind: "sat" });
    const page = openPage(app.app);
    await page.signIn((await app.caller()).token);
    const secret = page.cookies.get("berth_console") ?? "";
    for (const [token, message] of [
      [account.token, /requires a user's token/],
      [`${account.token.slice(0, -1)}!`, /malformed/],
      [secret, /malformed/],
      ["", /malformed/],
    ] as const) {
      const { status, body } = await openPage(app.app).post("/console/auth/token", { token });
      assert.equal(status, 401, token);
      assert.match(body.error.message, message);
    }
    assert.equal((await callerOf(app.app, secret).get("/agents")).status, 401, "never as Bearer");
    const bearer = openPage(app.app);
    bearer.cookies.set("berth_console", (await app.caller()).token);
    assert.equal((await bearer.get("/agents")).status, 401, "no token as a cookie");
  });

  test("metrics and operations without a token do not look at it; Authorization comes first", async (t) => {
    const app = await testApp(t);
    const page = openPage(app.app);
    await page.signIn((await app.caller()).token);
    const { status, body } = await page.get("/agents", { authorization: "Bearer x" });
    assert.deepEqual([status, body.error.message], [401, "The token is malformed."]);
    const headers = { ...Object.fromEntries([...page.cookies].map((pair) => ["cookie", pair.join("=")])) };
    const metrics = await app.app.fastify.inject({
      url: "/metrics",
      headers: { ...headers, via: "a proxy", "sec-fetch-site": "same-origin" },
    });
    assert.equal(metrics.statusCode, 401);
  });
});

describe("links to the console", () => {
  const codeOf = (url: string) => /^http:\/\/localhost\/console\/sign-in#code=([\w-]{43})$/.exec(url)?.[1];

  test("a link signs in once, with the scopes of its token", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller({ scopes: ["agents:read"] });
    const link = await owner.made("/console_links", undefined);
    const code = codeOf(link.url) ?? assert.fail(link.url);
    assert.equal(link.type, "console_link");
    const seconds = (Date.parse(link.expires_at) - Date.now()) / 1_000;
    assert.ok(seconds > 30 && seconds <= 61, `${seconds}`);
    const pages = [openPage(app.app), openPage(app.app)];
    const replies = await Promise.all(pages.map((page) => page.post("/console/auth/link", { code })));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 400]);
    const page = pages.find(({ cookies }) => cookies.size === 1) ?? assert.fail();
    const { body } = await page.get("/tokens/current");
    assert.deepEqual([body.kind, body.signed_in_by, body.scopes], ["console", "link", ["agents:read"]]);
    const again = await openPage(app.app).post("/console/auth/link", { code });
    assert.deepEqual(
      [again.status, again.body.error.param, again.body.error.code],
      [400, "code", "invalid_grant"],
    );
  });

  test("not after 60 seconds, and not when its token was revoked or its user disabled", async (t) => {
    const app = await testApp(t);
    const page = openPage(app.app);
    for (const sql of [
      "update console_links set expires_at = now()",
      "update tokens set revoked_at = now()",
      "update tokens set expires_at = now() where revoked_at is null",
      "update users set disabled_at = now()",
    ]) {
      const owner = await app.caller();
      const { url } = await owner.made("/console_links", undefined);
      await run(app, sql);
      const { status, body } = await page.post("/console/auth/link", { code: codeOf(url) });
      assert.deepEqual([status, body.error?.code], [400, "invalid_grant"], sql);
      assert.equal(page.cookies.size, 0);
    }
    assert.deepEqual(await run(app, "select * from console_links"), [], "each was used up");
  });

  test("not for a service account, a sign-in, or a host that nobody vouches for", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const account = await app.caller({ kind: "sat" });
    const page = openPage(app.app);
    await page.signIn(owner.token);
    assert.equal((await account.post("/console_links")).status, 401);
    assert.equal((await page.post("/console_links")).status, 403);
    const { status, body } = await owner.post("/console_links", undefined, { host: "evil.example" });
    assert.equal(status, 403);
    assert.match(body.error.message, /not served as 'evil\.example'.*BERTH_PUBLIC_URL/);
    const known = await testApp(t, { publicUrl: "https://berth.example.com" });
    const { url } = await (await known.caller()).made("/console_links", undefined);
    assert.match(url, /^https:\/\/berth\.example\.com\/console\/sign-in#code=/);
  });
});

test("sweep: expired links, and sign-ins a week after they expired; what they created stays", async (t) => {
  const app = await testApp(t);
  const owner = await app.caller();
  const { id: origin } = (await owner.get("/tokens/current")).body;
  await owner.made("/console_links", undefined);
  await owner.made("/console_links", undefined);
  await run(
    app,
    "update console_links set expires_at = now() where ctid = (select min(ctid) from console_links)",
  );
  const pages = [openPage(app.app), openPage(app.app)];
  for (const page of pages) await page.signIn(owner.token);
  const made = (await pages[0]?.post("/tokens", { name: "made in the console" }))?.body;
  await run(
    app,
    `update tokens set expires_at = now() - interval '8 days'
      where id = (select parent_id from tokens where name = 'made in the console')`,
  );
  await sweepSignIns(app.db.write);
  const { data } = (await owner.get("/tokens")).body;
  assert.equal(data.filter(({ kind }: Wire) => kind === "console").length, 1);
  assert.equal(data.find(({ id }: Wire) => id === made.id).parent_id, origin);
  assert.equal((await run(app, "select from console_links")).length, 1);
});
