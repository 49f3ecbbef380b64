// Subject: the routes of device authorizations and device tokens, and their sweep.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Caller,
  callerOf,
  type Reply,
  type TestApp,
  testApp,
  type Wire,
} from "../../../test-support/http.ts";
import { deleteExpired } from "./device-authorization-store.ts";

const REFUSALS = {
  authorization_pending: [409, "conflict_error"],
  slow_down: [429, "rate_limit_error"],
  access_denied: [403, "permission_error"],
  expired_token: [400, "invalid_request_error"],
  invalid_grant: [400, "invalid_request_error"],
} as const;

/** Requests an authorization without a token. */
async function device(app: TestApp, asked: Wire = {}) {
  const nobody = callerOf(app.app, "");
  const made = await nobody.made("/device_authorizations", asked);
  const poll = () => nobody.post("/device_tokens", { device_code: made.device_code });
  const refused = async (code: keyof typeof REFUSALS) => {
    const { status, body, text } = await poll();
    assert.deepEqual([status, body.error?.type, body.error?.code], [...REFUSALS[code], code], text);
  };
  return { ...made, poll, refused };
}

async function run({ db }: TestApp, text: string): Promise<Wire[]> {
  return (await db.write.query<Wire>({ text })).rows;
}

const approve = (caller: Caller, user_code: string, more: Wire = {}) =>
  caller.post("/device_authorizations/approve", { user_code, ...more });

describe("device authorizations", () => {
  test("asked, polled, approved, given once: a token of the approver, named after the device", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const one = await device(app, { client_name: "ada's laptop", scopes: ["agents:read"] });
    assert.match(one.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(
      [one.expires_in, one.interval, one.verification_uri],
      [600, 5, "http://localhost/console/device"],
    );
    assert.ok(one.instructions.endsWith(`berth login approve ${one.user_code}`), one.instructions);
    await one.refused("authorization_pending");
    const typed = one.user_code.toLowerCase().replace("-", " ");
    const seen = await owner.made("/device_authorizations/lookup", { user_code: typed });
    const { id, created_at: _created, expires_at: _expires, ...rest } = seen;
    assert.deepEqual(rest, {
      type: "device_authorization",
      status: "pending",
      client_name: "ada's laptop",
      client_address: "127.0.0.1",
      scopes: ["agents:read"],
      granted_scopes: null,
    });
    const approved = (await approve(owner, typed)).body;
    assert.deepEqual(
      [approved.id, approved.status, approved.granted_scopes],
      [id, "approved", ["agents:read"]],
    );
    const { status, body: token, headers } = await one.poll();
    assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
    await one.refused("invalid_grant");
    const mine = callerOf(app.app, token.token);
    assert.equal((await mine.get("/agents")).status, 200);
    assert.equal((await mine.get("/sessions")).status, 403, "only what was asked for");
    const { id: parent } = (await owner.get("/tokens/current")).body;
    const [listed] = (await owner.get("/tokens")).body.data;
    assert.deepEqual(
      [listed.id, listed.name, listed.kind, listed.parent_id, listed.scopes],
      [token.id, "ada's laptop", "pat", parent, ["agents:read"]],
    );
    assert.equal((await owner.delete(`/tokens/${token.id}`)).status, 200);
    assert.equal((await mine.get("/agents")).status, 401);

    const stored = JSON.stringify(await run(app, "select * from device_authorizations, audit_entries"));
    const plain = [one.device_code, one.user_code, one.user_code.replace("-", ""), token.token];
    for (const secret of plain) assert.ok(!stored.includes(secret), "codes and token are stored as hashes");
    const entries = await run(
      app,
      "select operation, resources, actor_type, token_id from audit_entries order by id",
    );
    assert.deepEqual(
      entries.map(({ operation, resources, actor_type: actor }) => [operation, resources, actor]),
      [
        ["deviceAuthorizations.approve", [id], "user"],
        ["deviceTokens.create", [id, token.id], "user"],
        ["tokens.delete", [token.id], "user"],
      ],
    );
    assert.equal(entries[0]?.token_id, entries[1]?.token_id);
  });

  test("the token and its entry in the audit log: both or neither", async (t) => {
    const app = await testApp(t);
    const one = await device(app);
    await approve(await app.caller(), one.user_code);
    const refused = "add constraint refused check (operation <> 'deviceTokens.create') not valid";
    await run(app, `alter table audit_entries ${refused}`);
    assert.equal((await one.poll()).status, 500);
    assert.deepEqual(await run(app, "select id from tokens where name like 'login%'"), []);
    await run(app, "alter table audit_entries drop constraint refused");
    assert.equal((await one.poll()).body.name, "login from 127.0.0.1");
  });

  test("scopes: none that the approver lacks, none that was not asked for", async (t) => {
    const app = await testApp(t);
    const narrow = await app.caller({ scopes: ["tokens:write", "agents:read"] });
    const all = await device(app);
    const tooWide = await approve(narrow, all.user_code);
    assert.deepEqual([tooWide.status, tooWide.body.error.type], [403, "permission_error"]);
    const granted = await approve(narrow, all.user_code, { scopes: ["agents:read"] });
    assert.deepEqual(granted.body.granted_scopes, ["agents:read"]);
    const some = await device(app, { scopes: ["agents:read", "agents:write"] });
    const unasked = await approve(await app.caller(), some.user_code, { scopes: ["tokens:write"] });
    assert.deepEqual([unasked.status, unasked.body.error.param], [400, "scopes"]);
    const account = await app.caller({ kind: "sat" });
    for (const act of ["lookup", "approve", "deny"])
      assert.equal(
        (await account.post(`/device_authorizations/${act}`, { user_code: some.user_code })).status,
        403,
        act,
      );
    await some.refused("authorization_pending");
  });

  test("denied, decided twice, expired", async (t) => {
    const app = await testApp(t);
    const owner = await app.caller();
    const one = await device(app);
    const denied = await owner.made("/device_authorizations/deny", { user_code: one.user_code });
    assert.equal(denied.status, "denied");
    await one.refused("access_denied");
    const again = await approve(owner, one.user_code);
    assert.deepEqual([again.status, again.body.error.param], [404, "user_code"]);
    const late = await device(app);
    const tardy = await device(app);
    await run(app, "update device_authorizations set expires_at = now() + interval '5 seconds'");
    assert.equal((await approve(owner, tardy.user_code)).status, 200);
    const [{ seconds }] = await run(
      app,
      "select max(extract(epoch from expires_at - now()))::int as seconds from device_authorizations",
    );
    assert.ok(seconds > 30, "who approves in the last moment leaves time for a poll");
    await run(app, "update device_authorizations set expires_at = now()");
    await late.refused("expired_token");
    await tardy.refused("expired_token");
    for (const act of ["lookup", "approve", "deny"])
      assert.equal(
        (await owner.post(`/device_authorizations/${act}`, { user_code: late.user_code })).status,
        404,
      );
    await deleteExpired(app.db.write);
    await late.refused("expired_token");
    await run(app, "update device_authorizations set expires_at = now() - interval '11 minutes'");
    await deleteExpired(app.db.write);
    await late.refused("invalid_grant");
  });

  test("an approver who is disabled, or whose token is revoked or expires meanwhile, has approved nothing", async (t) => {
    const app = await testApp(t);
    for (const text of [
      "update tokens set revoked_at = now()",
      "update tokens set expires_at = now()",
      "update users set disabled_at = now()",
    ]) {
      const one = await device(app);
      assert.equal((await approve(await app.caller(), one.user_code)).status, 200);
      await run(app, text);
      await one.refused("access_denied");
      await run(app, "update tokens set revoked_at = null, expires_at = null");
      await run(app, "update users set disabled_at = null");
      const { expires_at } = (await one.poll()).body;
      assert.equal(expires_at, null);
    }
    const brief = await app.caller({ expiresInSeconds: 3_600 });
    const one = await device(app);
    await approve(brief, one.user_code);
    const parent = (await brief.get("/tokens/current")).body;
    assert.equal((await one.poll()).body.expires_at, parent.expires_at, "it does not outlive that token");
  });

  test("polls: too early → slow_down, and more seconds each time; several at once → one token", async (t) => {
    const app = await testApp(t);
    const one = await device(app);
    await one.refused("authorization_pending");
    await one.refused("slow_down");
    assert.match((await one.poll()).body.error.message, /15 seconds/);
    const back = (seconds: number) =>
      run(
        app,
        `update device_authorizations set polled_at = clock_timestamp() - interval '${seconds} seconds'`,
      );
    await back(14);
    await one.refused("slow_down");
    await back(20);
    await one.refused("authorization_pending");
    await approve(await app.caller(), one.user_code);
    const polls = await Promise.all(Array.from({ length: 6 }, (): Promise<Reply> => one.poll()));
    assert.deepEqual(polls.map(({ status }) => status).toSorted(), [200, 400, 400, 400, 400, 400]);
  });

  test("limits: of open ones by address and in all, of tries, and of requests without a token", async (t) => {
    const app = await testApp(t, { addressLimits: { requests_per_second: 0, request_burst: 200 } });
    const owner = await app.caller();
    for (let count = 0; count < 50; count += 1) await device(app);
    const nobody = callerOf(app.app, "");
    const full = await nobody.post("/device_authorizations", {});
    assert.deepEqual([full.status, full.headers["retry-after"]], [429, undefined]);
    assert.match(full.body.error.message, /client address's limit of 50 logins/);
    await run(app, "update device_authorizations set client_network = 'elsewhere'");
    await device(app);
    await run(
      app,
      `insert into device_authorizations (id, device_code_hash, user_code_hash, client_address, client_network, scopes, expires_at)
        select gen_random_uuid(), sha256(n::text::bytea), sha256(n::text::bytea), '', 'far', '{*}', now() + interval '1 hour'
        from generate_series(1, 949) n`,
    );
    assert.match(
      (await nobody.post("/device_authorizations", {})).body.error.message,
      /limit of 1000 logins/,
    );
    await run(app, "update device_authorizations set status = 'denied' where client_network = 'far'");
    await device(app);

    const tries = await Promise.all(
      Array.from({ length: 21 }, () =>
        owner.post("/device_authorizations/lookup", { user_code: "BBBBBBBB" }),
      ),
    );
    assert.equal(tries.filter(({ status }) => status === 404).length, 20);
    const over = tries.find(({ status }) => status === 429);
    assert.ok(Number(over?.headers["retry-after"]) > 0);
    const other = await app.caller({ email: "other@example.com" });
    assert.equal((await other.post("/device_authorizations/lookup", { user_code: "nonsense" })).status, 404);

    let last = 0;
    for (let count = 0; count < 200 && last !== 429; count += 1)
      last = (await nobody.post("/device_tokens", { device_code: "x" })).status;
    assert.equal(last, 429);
    assert.equal((await owner.get("/agents")).status, 200, "accepted tokens go on");
  });

  test("addresses: the public URL, else that of the request", async (t) => {
    const app = await testApp(t, { publicUrl: "https://berth.example.com" });
    const one = await device(app);
    assert.equal(one.verification_uri, "https://berth.example.com/console/device");
    const plain = await testApp(t);
    const asked = await callerOf(plain.app, "").post(
      "/device_authorizations",
      {},
      { host: "berth.lan:8080" },
    );
    assert.equal(asked.body.verification_uri, "http://berth.lan:8080/console/device");
    const bare = await device(await testApp(t, { publicUrl: "https://berth.example.com", console: "off" }));
    assert.equal(bare.verification_uri, "https://berth.example.com");
    assert.ok(!bare.instructions.includes("/console"), bare.instructions);
    const wrong = await callerOf(plain.app, "").post("/device_authorizations", {}, { host: "a b" });
    assert.equal(wrong.status, 400);
  });
});
