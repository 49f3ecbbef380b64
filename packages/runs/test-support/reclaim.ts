import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { LogEntry } from "@berth/agent";
import { formatId } from "@berth/contract";
import { type Database, DatabaseUnavailableError, type Queryable } from "@berth/store/db";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import type { Statement } from "@berth/store/test-support/internals/db";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import { bash, type Installation, idles, installation, steps, types } from "./worker.ts";

export const HOUR_MS = 3_600_000;
/** The long lease keeps a live worker's sessions, however slow the machine is. */
export const RECLAIM = { reclaimMs: HOUR_MS, sandboxIdleMs: 0, leaseMs: 60_000, pollMs: 20, graceMs: 0 };

/** An action at the n-th statement of a reclaim, before the statement or after it. */
interface Point {
  n: number;
  after: boolean;
  happens(): Promise<void>;
}

interface Watched {
  db: Database;
  /** Returns the number of statements since the reclaim was claimed. */
  count(): number;
  /** Resolves when the session was released. */
  released: Promise<void>;
}

/** Wraps a worker's database so that an action happens at one point of a reclaim. */
export function watched(db: Database, point?: Point): Watched {
  const released = Promise.withResolvers<void>();
  let count = 0;
  let claimed = false;
  const through = (queryable: Queryable): Queryable => ({
    query: async <Row extends object>(statement: Statement) => {
      const counts = claimed || statement.name === "claim_reclaimable";
      const here = counts && statement.name !== "renew_leases" && ++count === point?.n;
      if (here && !point.after) await point.happens();
      const answer = await queryable.query<Row>(statement);
      if (statement.name === "claim_reclaimable" && answer.rowCount > 0) claimed = true;
      if (!claimed && statement.name === "claim_reclaimable") count = 0;
      if (here && point.after) await point.happens();
      if (statement.name === "release_run" && answer.rowCount === 1) released.resolve();
      return answer;
    },
  });
  const watching = { ...db, write: through(db.write), read: through(db.read) };
  return { db: watching, count: () => count, released: released.promise };
}

/** Creates a session that had a turn and has been idle for two hours. A file marks its disk. */
export async function idleSession(own: Installation, db: TestDatabase, from: Seed) {
  const id = await seedSession(db.write, from);
  const { db: watching, released } = watched(db);
  const worker = await own.worker({ ...RECLAIM, db: watching });
  await own.send(id, steps(bash(`echo ${id}`)));
  await own.until(id, (entries) => idles(entries) === 1);
  await released;
  await worker.close();
  const disk = join(own.disks, formatId("session", id));
  writeFileSync(join(disk, "mark"), "");
  // A process leaves this row when it dies before it collects outputs for the last time.
  await db.write.query({
    text: "update sessions set idle_since = now() - interval '2 hours', outputs_due = true where id = $1",
    values: [id],
  });
  return { id, disk, isMarked: () => existsSync(join(disk, "mark")) };
}

export async function rowOf(db: TestDatabase, id: string) {
  const text = `select home, workspace_uid, lease_owner, pending_at, outputs_due,
    idle_since > now() - interval '1 hour' as fresh from sessions where id = $1`;
  return (await db.read.query({ text, values: [id] })).rows[0];
}

export function count(log: readonly LogEntry[], type: string): number {
  return types(log).filter((other) => other === type).length;
}

export function check(log: readonly LogEntry[], own: Installation, label: string): void {
  assert.deepEqual(
    log.map((entry) => entry.seq),
    log.map((_, index) => index + 1),
    label,
  );
  assert.deepEqual(own.engine.overlaps, [], `${label}: a disk was opened twice`);
  assert.ok(count(log, "session.container_reclaimed") <= 1, label);
  assert.equal(count(log, "agent.tool_use"), count(log, "agent.tool_result"), label);
  assert.equal(idles(log), count(log, "user.message"), label);
}

/** Returns how many statements an undisturbed reclaim has. */
async function statementsOf(own: Installation, db: TestDatabase, from: Seed) {
  const session = await idleSession(own, db, from);
  const watching = watched(db);
  const worker = await own.worker({ ...RECLAIM, db: watching.db });
  await watching.released;
  const statements = watching.count();
  await worker.close();
  assert.deepEqual(types(await readLog(db.read, session.id)).at(-1), "session.container_reclaimed");
  assert.equal(existsSync(session.disk), false);
  assert.deepEqual(await rowOf(db, session.id), {
    home: null,
    workspace_uid: null,
    lease_owner: null,
    pending_at: null,
    outputs_due: false,
    fresh: true,
  });
  return statements;
}

export async function prepared(t: TestContext) {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  return { db, own, from, statements: await statementsOf(own, db, from) };
}

/** As `watched`, but every statement after the point fails. */
export function mortal(db: Database, point: Point): Database {
  let gone = false;
  const refuse = () => {
    if (gone) throw new DatabaseUnavailableError("The process is dead.");
  };
  const happens = () => {
    gone = true;
    return point.happens();
  };
  const { db: watching } = watched(db, { ...point, happens });
  const dying = (queryable: Queryable): Queryable => ({
    query: async <Row extends object>(statement: Statement) => {
      refuse();
      return await queryable.query<Row>(statement);
    },
  });
  return { ...watching, write: dying(watching.write), read: dying(watching.read) };
}
