import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentTokens, tokenHash } from "@berth/store/access";
import { testApp } from "../../test-support/http.ts";

/** Returns a token cache with a clock of the test, and a count of its queries. */
async function recent(t: Parameters<typeof testApp>[0]) {
  const { db, caller } = await testApp(t);
  const { token } = await caller();
  const clock = { now: 0 };
  const { mock } = t.mock.method(db.read, "query");
  const tokens = new RecentTokens(db.read, () => clock.now);
  const find = () => tokens.find(tokenHash(token));
  const run = (text: string) => db.write.query({ text });
  return { clock, tokens, find, run, lookups: () => mock.callCount() };
}

test("a token costs one query in 50 ms, however many ask at once", async (t) => {
  const { clock, find, lookups } = await recent(t);
  const all = await Promise.all([find(), find(), find()]);
  assert.equal(lookups(), 1);
  assert.equal(all.filter((found) => found?.stale).length, 1, "one of them notes its use");
  clock.now = 49;
  await find();
  assert.equal(lookups(), 1);
  clock.now = 50;
  await find();
  assert.equal(lookups(), 2);
});

test("a change counts 50 ms after the last lookup at the latest, and nothing invalid is kept", async (t) => {
  const { clock, find, run, lookups } = await recent(t);
  for (const [change, undo, seen] of [
    ["update tokens set revoked_at = now()", "update tokens set revoked_at = null", { revoked: true }],
    ["update tokens set expires_at = now()", "update tokens set expires_at = null", { expired: true }],
    ["update users set disabled_at = now()", "update users set disabled_at = null", { disabled: true }],
  ] as const) {
    await find();
    await run(change);
    clock.now += 50;
    assert.partialDeepStrictEqual(await find(), seen, change);
    await run(undo);
    const before = lookups();
    assert.partialDeepStrictEqual(await find(), { revoked: false, expired: false, disabled: false });
    assert.equal(lookups(), before + 1);
  }
  await run("update users set role = 'admin'");
  await run("update tokens set scopes = '{files:read}'");
  clock.now += 50;
  const { role, scopes } = (await find())?.principal ?? assert.fail();
  assert.deepEqual([role, [...scopes]], ["admin", ["files:read"]]);
  await run("delete from tokens");
  clock.now += 50;
  assert.equal(await find(), null);
});

test("a lookup that failed is not kept", async (t) => {
  const { db, caller } = await testApp(t);
  const { token } = await caller();
  const query = t.mock.method(db.read, "query");
  query.mock.mockImplementationOnce(async () => assert.fail("away"));
  const tokens = new RecentTokens(db.read, () => 0);
  await assert.rejects(tokens.find(tokenHash(token)), /away/);
  assert.equal((await tokens.find(tokenHash(token)))?.revoked, false);
});

test("a token that this process revokes is refused at once, with those that were made with it", async (t) => {
  const { caller } = await testApp(t);
  const [root, observer] = [await caller(), await caller({ email: "admin@example.com", role: "admin" })];
  const { token, ...made } = await root.made("/tokens", { name: "child", scopes: ["agents:read"] });
  const headers = { authorization: `Bearer ${token}` };
  const asChild = () => observer.get("/agents", headers);
  assert.equal((await asChild()).status, 200);
  const id = (await root.get("/tokens/current")).body.id;
  assert.equal((await observer.delete(`/tokens/${id}`)).status, 200);
  assert.deepEqual([(await asChild()).status, (await root.get("/agents")).status], [401, 401], made.id);
});
