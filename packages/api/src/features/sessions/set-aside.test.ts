// Subject: sessions that were set aside after crashing their runner: who can find and release them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId } from "@berth/contract";
import { appendRunning, beginTrial, recordCrash } from "@berth/runs/test-support/internals/lease";
import { seedLease } from "@berth/store/test-support/runs";
import { type Caller, type TestApp, testApp } from "../../../test-support/http.ts";

async function sessionOf(owner: Caller, title: string): Promise<string> {
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment_id = (await owner.made("/environments", { name: `e ${Math.random()}` })).id;
  return (await owner.made("/sessions", { agent: agent.id, environment_id, title })).id;
}

/** Crashes the process that runs the session's turn, twice. */
async function crash({ db }: Pick<TestApp, "db">, id: string): Promise<void> {
  for (const runner of [`first of ${id}`, `second of ${id}`]) {
    const lease = await seedLease(db.write, parseId("session", id) ?? "", runner);
    await appendRunning(db.write, lease);
    await beginTrial(db.write, lease);
    await recordCrash(db, runner);
  }
}

async function listed(who: Caller, query: string): Promise<string[]> {
  const { status, body, text } = await who.get(`/sessions?${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ title }: { title: string }) => title);
}

test("set_aside: finds those, alone and combined, by either order; nobody finds another's; a released one is out", async (t) => {
  const app = await testApp(t);
  const [owner, other] = [await app.caller(), await app.caller({ email: "other@example.com", org: "other" })];
  const made = new Map<string, string>();
  for (const title of ["one", "two", "three"]) made.set(title, await sessionOf(owner, title));
  const [one, three] = [made.get("one") ?? "", made.get("three") ?? ""];
  assert.deepEqual(await listed(owner, "set_aside=true"), []);
  await crash(app, three);
  await crash(app, one);
  for (const [query, titles] of [
    ["set_aside=true", ["three", "one"]],
    ["set_aside=true&include_archived=true", ["three", "one"]],
    ["set_aside=true&sort=updated_at", ["one", "three"]],
    ["set_aside=true&outcomes[]=retries_exhausted&title=ONE", ["one"]],
    ["set_aside=true&outcomes[]=end_turn", []],
    ["set_aside=false", ["three", "two", "one"]],
  ] as const)
    assert.deepEqual(await listed(owner, query), titles, query);
  assert.deepEqual(await listed(other, "set_aside=true"), []);
  const unclear = await owner.get("/sessions?set_aside=maybe");
  assert.deepEqual([unclear.status, unclear.body.error.param], [400, "set_aside"]);
  assert.equal((await owner.made(`/sessions/${one}/release`, undefined)).set_aside, null);
  assert.deepEqual(await listed(owner, "set_aside=true"), ["three"]);
});

test("the operator releases anybody's session, and reads nothing of it; the audit log says so", async (t) => {
  const app = await testApp(t);
  const [owner, operator] = [await app.caller(), await app.operator()];
  const id = await sessionOf(owner, "one");
  await crash(app, id);
  const path = `/api/v1/admin/sessions/${id}/release`;
  const released = await operator.made(path, undefined);
  const { organization_id, ...rest } = released;
  assert.deepEqual(rest, { id, type: "session_released", was_set_aside: true });
  assert.equal((await owner.get(`/sessions/${id}`)).body.set_aside, null);
  assert.equal((await operator.made(path, undefined)).was_set_aside, false);
  const { data } = (await operator.get(`/api/v1/admin/audit_entries?resource=${id}`)).body;
  const [entry] = data.filter(
    ({ operation }: { operation: string }) => operation === "adminSessions.release",
  );
  assert.deepEqual([entry.organization_id, entry.resources], [organization_id, [id]]);
  assert.equal((await owner.post(path)).status, 403);
  for (const absent of ["sess_01zzzzzzzzzzzzzzzzzzzzzzzz", "none"])
    assert.equal((await operator.post(`/api/v1/admin/sessions/${absent}/release`)).status, 404, absent);
  await owner.made(`/sessions/${id}/archive`, undefined);
  assert.equal((await operator.post(path)).status, 403);
});
