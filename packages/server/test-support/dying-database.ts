import { DatabaseUnavailableError } from "../src/db/database-error.ts";
import type { Database } from "../src/db/pool.ts";
import type { Queryable, Statement } from "../src/db/statement.ts";

/** A database that fails for good at the n-th append, before or after that append is committed. */
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
