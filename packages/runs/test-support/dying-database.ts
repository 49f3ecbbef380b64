import { type Database, DatabaseUnavailableError, type Queryable } from "@berth/store/db";
import type { Statement } from "@berth/store/test-support/internals/db";
import { expireLeases } from "../src/lease/claim-runs.ts";
import type { Worker } from "../src/session/worker.ts";

/** Milliseconds of the lease of a worker that dies. Only `closeDead` ends it. */
export const DYING_LEASE_MS = 600_000;

/** Wraps a database that fails for good at the n-th append, before or after its commit. */
export function dyingDatabase(
  db: Database,
  appends: number,
  commits: boolean,
): { db: Database; dead: Promise<void> } {
  const dead = Promise.withResolvers<void>();
  let left = appends;
  let gone = false;
  const mortal = (queryable: Queryable): Queryable => ({
    query: async <Row extends object>(statement: Statement) => {
      if (gone) throw new DatabaseUnavailableError("The process is dead.");
      if (statement.name?.startsWith("append_") === true) left -= 1;
      if (left > 0) return await queryable.query<Row>(statement);
      gone = true;
      if (commits) await queryable.query<Row>(statement);
      dead.resolve();
      throw new DatabaseUnavailableError("The process is dead.");
    },
  });
  return { db: { ...db, write: mortal(db.write), read: mortal(db.read) }, dead: dead.promise };
}

/** Closes a worker whose database is dead, and expires the leases that it could not release. */
export async function closeDead(db: Database, worker: Worker): Promise<void> {
  await worker.close();
  await expireLeases(db.write, [worker.owner]);
}
