// Subject: WorkspaceReads, DiskReads and SessionReads: a read from the client to a worker and back.
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { deleteExpiredReads } from "@berth/api/features";
import { storeRead, WorkspaceReads } from "@berth/api/test-support/internals/features";
import { newUuid } from "@berth/contract";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { idleSession, RECLAIM, rowOf, watched } from "../../test-support/reclaim.ts";
import { installation, types } from "../../test-support/worker.ts";
import { claimForRead } from "../lease/claim-for-read.ts";

const IDLE = { ...RECLAIM, reclaimMs: 24 * 3_600_000 };

/** Creates a session whose sandbox is closed, and reads of its disk. */
async function parked(t: TestContext) {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const session = await idleSession(own, db, await seed(db.write));
  const reads = new WorkspaceReads(db, own.hub);
  const read = (name: string) =>
    reads.ask<"part">(session.id, { kind: "part", path: `/data/${name}`, from: 0, count: 1 });
  return { db, own, session, reads, read };
}

async function waiting(db: TestDatabase): Promise<number> {
  const { rows } = await db.read.query<{ count: number }>({
    text: "select count(*)::integer as count from workspace_reads",
  });
  return rows[0]?.count ?? -1;
}

/** The scripted engine's result for a path that is no file. */
const ANSWER = { answer: { ok: false, reason: "changed" }, content: null };

describe("reads of a session's disk", () => {
  test("a parked session is opened for them, stays idle, and is parked again", async (t) => {
    const { db, own, session, read } = await parked(t);
    const before = types(await readLog(db.read, session.id));
    const watching = watched(db);
    await own.worker({ ...IDLE, db: watching.db });
    assert.deepEqual(await read("a"), ANSWER);
    await watching.released;
    const added = types(await readLog(db.read, session.id)).slice(before.length);
    assert.deepEqual(added, ["session.container_started"]);
    const row = await rowOf(db, session.id);
    assert.deepEqual([row?.lease_owner, row?.pending_at, row?.fresh], [null, null, true]);
    assert.equal(own.engine.openDisks.get(session.disk), 0);
    assert.equal(await waiting(db), 0);
  });

  test("many, one after another and at once, while the sandbox closes each time → all answered, one sandbox at a time", async (t) => {
    const { db, own, read } = await parked(t);
    await own.worker({ ...IDLE, sandboxIdleMs: 0 });
    for (let n = 0; n < 20; n++) assert.deepEqual(await read(`${n}`), ANSWER);
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => read(`${n}`)));
    assert.deepEqual(new Set(all.map((one) => JSON.stringify(one))), new Set([JSON.stringify(ANSWER)]));
    assert.deepEqual(own.engine.overlaps, []);
    assert.equal(await waiting(db), 0);
  });

  test("the disk is not there → told, and none is made", async (t) => {
    const { own, session, read } = await parked(t);
    rmSync(session.disk, { recursive: true });
    await own.worker(IDLE);
    const opened = own.engine.specs.length;
    assert.deepEqual(await read("a"), { answer: { ok: false, reason: "no_disk" }, content: null });
    assert.equal(own.engine.specs.length, opened);
  });

  test("no sandbox can be opened → told, and so in the log", async (t) => {
    const { db, own, session, read } = await parked(t);
    own.engine.failsToOpen = true;
    await own.worker(IDLE);
    assert.deepEqual(await read("a"), { answer: { ok: false, reason: "not_opened" }, content: null });
    assert.equal(types(await readLog(db.read, session.id)).at(-1), "session.error");
  });

  test("the sandbox ends while it is read → it is opened once more", async (t) => {
    const { own, read } = await parked(t);
    await own.worker(IDLE);
    const opened = own.engine.specs.length;
    assert.deepEqual(await read("die"), { answer: { ok: false, reason: "gone" }, content: null });
    assert.equal(own.engine.specs.length, opened + 2);
  });

  test("the worker stops while it reads → the next one answers", async (t) => {
    const { db, own, read } = await parked(t);
    const first = await own.worker(IDLE);
    const begun = once(own.engine.events, "command");
    const reading = read("linger");
    await begun;
    await first.close();
    assert.equal(await waiting(db), 1);
    const again = once(own.engine.events, "command");
    await own.worker(IDLE);
    await again;
    own.engine.events.emit("go", "/data/linger");
    assert.deepEqual(await reading, ANSWER);
    assert.equal(await waiting(db), 0);
  });

  test("the session was taken over while it was read → the former holder answers nothing", async (t) => {
    const { db, own, session, read } = await parked(t);
    await own.worker(IDLE);
    const begun = once(own.engine.events, "command");
    const reading = read("linger");
    reading.catch(() => undefined);
    await begun;
    await seedLease(db.write, session.id, "another");
    own.engine.events.emit("go", "/data/linger");
    assert.equal(await waiting(db), 1);
    await db.write.query({
      text: "update sessions set terminated_at = now() where id = $1",
      values: [session.id],
    });
    await assert.rejects(reading, { type: "conflict_error" });
    assert.equal(await waiting(db), 0);
  });

  test("nobody answers in time → an error, and nothing is left", async (t) => {
    const { db, own, session } = await parked(t);
    const impatient = new WorkspaceReads(db, own.hub, 30);
    await assert.rejects(impatient.ask<"changes">(session.id, { kind: "changes" }), {
      type: "api_error",
      message: /was not read within 0\.03 seconds/,
    });
    assert.equal(await waiting(db), 0);
  });

  test("the service stops while somebody waits → told, and nothing is left", async (t) => {
    const { db, own, session, reads } = await parked(t);
    const stop = own.hub.reads.onAsked(() => reads.close());
    t.after(stop);
    await assert.rejects(reads.ask<"changes">(session.id, { kind: "changes" }), { message: /is stopping/ });
    assert.equal(await waiting(db), 0);
  });

  test("too many wait → one more is rejected", async (t) => {
    const { db, session, read } = await parked(t);
    const request = { kind: "changes" } as const;
    for (let n = 0; n < 32; n++)
      assert.ok(
        await storeRead(db.write, {
          id: newUuid(),
          sessionId: session.id,
          request,
          ttlMs: 60_000,
          opens: true,
        }),
      );
    await assert.rejects(read("a"), { type: "rate_limit_error" });
  });

  test("what an asker left that died is deleted once it has expired", async (t) => {
    const { db, session } = await parked(t);
    const request = { kind: "changes" } as const;
    const late = { id: newUuid(), sessionId: session.id, request, ttlMs: -1, opens: true };
    for (const read of [late, { ...late, id: newUuid(), ttlMs: 60_000 }]) await storeRead(db.write, read);
    await deleteExpiredReads(db.write);
    assert.equal(await waiting(db), 1);
  });
});

test("claimForRead: only a session with its disk here that nobody holds and somebody waits for", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const rows = {
    idle: "home = 'here'",
    due: "home = 'here', pending_at = now()",
    unasked: "home = 'here'",
    unopened: "home = 'here'",
    late: "home = 'here'",
    elsewhere: "home = 'there'",
    none: "home = null",
    held: "home = 'here', lease_owner = 'other', lease_until = now() + interval '1 hour'",
    orphaned: "home = 'here', lease_owner = 'other', lease_until = now() - interval '1 hour'",
    archived: "home = 'here', archived_at = now()",
    terminated: "home = 'here', terminated_at = now()",
    deleted: "home = 'here', deleted_at = now()",
  };
  const host = { id: "h", name: "h", place: "here", version: "1", role: "all", settings: {}, graceMs: 1_000 };
  const claimed: string[] = [];
  for (const [name, set] of Object.entries(rows)) {
    const id = await seedSession(db.write, from);
    await db.write.query({ text: `update sessions set ${set} where id = $1`, values: [id] });
    const ttlMs = name === "late" ? -1 : 60_000;
    if (name !== "unasked")
      await storeRead(db.write, {
        id: newUuid(),
        sessionId: id,
        request: { kind: "changes" },
        ttlMs,
        opens: name !== "unopened",
      });
    const claims = [1, 2].map(() => claimForRead(db.write, { owner: "a", leaseMs: 1_000, host }, id));
    const leases = (await Promise.all(claims)).filter((lease) => lease !== null);
    if (leases.length > 0) claimed.push(`${name} ${leases.length}`);
  }
  assert.deepEqual(claimed, ["idle 1", "due 1"]);
});
