// Subject: disks of sessions whose environment has an ephemeral workspace.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { formatId } from "@berth/contract";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { count, HOUR_MS, RECLAIM, watched } from "../../test-support/reclaim.ts";
import { bash, type Installation, idles, installation, steps } from "../../test-support/worker.ts";
import { claimEphemeral } from "../lease/claim-reclaimable.ts";

const DAY_MS = 24 * HOUR_MS;
/** Sandboxes close at once, and no disk is reclaimed for its age. */
const QUIET = { ...RECLAIM, reclaimMs: DAY_MS };

async function prepare(t: TestContext): Promise<{ db: TestDatabase; own: Installation; from: Seed }> {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  await change(db, "ephemeral");
  return { db, own, from };
}

async function change(db: TestDatabase, workspace: "ephemeral" | "persistent"): Promise<void> {
  await db.write.query({ text: "update environments set workspace = $1", values: [workspace] });
}

async function diskOf(db: TestDatabase, own: Installation, id: string) {
  const text = "select home, workspace_uid from sessions where id = $1";
  const { home, workspace_uid: uid } = (await db.read.query({ text, values: [id] })).rows[0] ?? {};
  return { home, uid, exists: existsSync(join(own.disks, formatId("session", id))) };
}

const GONE = { home: null, uid: null, exists: false };

/** Runs a turn of the session with a worker that then closes its sandbox and is closed. */
async function quietTurn(own: Installation, db: TestDatabase, id: string, turn: number): Promise<void> {
  const { db: watching, released } = watched(db);
  const worker = await own.worker({ ...QUIET, db: watching });
  await own.send(id, steps(bash(`echo ${turn} ${id}`)));
  await own.until(id, (log) => idles(log) === turn);
  await released;
  await worker.close();
}

describe("an ephemeral workspace", () => {
  test("the sandbox closes → the disk is gone, which is told once each time, and the next turn has a new one", async (t) => {
    const { db, own, from } = await prepare(t);
    const id = await seedSession(db.write, from);
    for (const turn of [1, 2]) {
      await quietTurn(own, db, id, turn);
      assert.deepEqual(await diskOf(db, own, id), GONE);
      const log = await readLog(db.read, id);
      const told = log.flatMap(({ event }) =>
        event.type === "session.container_reclaimed" ? [event.reason] : [],
      );
      assert.deepEqual(
        told,
        Array.from({ length: turn }, () => "inactivity"),
      );
      assert.equal(count(log, "session.container_started"), turn);
    }
    assert.deepEqual(own.engine.overlaps, []);
  });

  test("the service stops before → the next one goes on with the disk, and removes it when the sandbox closes", async (t) => {
    const { db, own, from } = await prepare(t);
    const id = await seedSession(db.write, from);
    const worker = await own.worker({ ...QUIET, sandboxIdleMs: DAY_MS });
    await own.send(id, steps(bash(`echo 1 ${id}`)));
    await own.until(id, (log) => idles(log) === 1);
    await worker.close();
    const { exists } = await diskOf(db, own, id);
    assert.ok(exists);
    writeFileSync(join(own.disks, formatId("session", id), "mark"), "");
    await quietTurn(own, db, id, 2);
    assert.deepEqual(await diskOf(db, own, id), GONE);
    assert.equal(count(await readLog(db.read, id), "session.container_reclaimed"), 1);
  });

  test("the service stops, and nobody writes → the next one removes the disk after the idle time", async (t) => {
    const { db, own, from } = await prepare(t);
    const id = await seedSession(db.write, from);
    const worker = await own.worker({ ...QUIET, sandboxIdleMs: DAY_MS });
    await own.send(id, steps(bash(`echo 1 ${id}`)));
    await own.until(id, (log) => idles(log) === 1);
    await worker.close();
    await db.write.query({ text: "update sessions set idle_since = now() - interval '2 hours'" });
    await own.worker({ ...QUIET, sandboxIdleMs: HOUR_MS });
    await own.until(id, (log) => count(log, "session.container_reclaimed") === 1);
  });

  test("a disk that is older than the change to ephemeral stays, and so does each after a change to persistent", async (t) => {
    const { db, own, from } = await prepare(t);
    const [older, newer] = [await seedSession(db.write, from), await seedSession(db.write, from)];
    await change(db, "persistent");
    await quietTurn(own, db, older, 1);
    await change(db, "ephemeral");
    await quietTurn(own, db, older, 2);
    assert.ok((await diskOf(db, own, older)).exists);
    const worker = await own.worker({ ...QUIET, sandboxIdleMs: DAY_MS });
    await own.send(newer, steps(bash(`echo 1 ${newer}`)));
    await own.until(newer, (log) => idles(log) === 1);
    await worker.close();
    await change(db, "persistent");
    await quietTurn(own, db, newer, 2);
    assert.ok((await diskOf(db, own, newer)).exists);
    for (const id of [older, newer])
      assert.equal(count(await readLog(db.read, id), "session.container_reclaimed"), 0);
  });

  test("claimEphemeral: only ephemeral disks of sessions that have been idle are claimed", async (t) => {
    const { db, from } = await prepare(t);
    const old = "home = 'here', idle_since = now() - interval '2 hours', disk_ephemeral = ";
    const rows = {
      idle: `${old} true`,
      persistent: `${old} false`,
      fresh: "home = 'here', disk_ephemeral = true",
      elsewhere: `${old} true, home = 'there'`.replace("home = 'here', ", ""),
      due: `${old} true, pending_at = now()`,
      held: `${old} true, lease_owner = 'other', lease_until = now() - interval '1 hour'`,
    };
    const names = new Map<string, string>();
    for (const [name, set] of Object.entries(rows)) {
      const id = await seedSession(db.write, from);
      names.set(id, name);
      await db.write.query({ text: `update sessions set ${set} where id = $1`, values: [id] });
    }
    const options = { db: db.write, owner: "a", leaseMs: 1_000, idleMs: HOUR_MS, place: "here" };
    const claim = async () => (await claimEphemeral(options, 8)).map(({ sessionId }) => names.get(sessionId));
    await change(db, "persistent");
    assert.deepEqual(await claim(), []);
    await change(db, "ephemeral");
    assert.deepEqual(await claim(), ["idle"]);
  });
});
