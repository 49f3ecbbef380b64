import type { ClientBase } from "pg";
import type { DatabaseAccess } from "./database-access.ts";
import { ask, type Queryable } from "./statement.ts";

/**
 * Runs `work` between BEGIN and COMMIT on one connection (READ COMMITTED); whatever it throws rolls back and is thrown
 * on. `tx` is for use inside `work` alone.
 */
export async function inTransaction<T>(client: ClientBase, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await ask(client, { text: "begin" });
  try {
    const result = await work({ query: (statement) => ask(client, statement) });
    await ask(client, { text: "commit" });
    return result;
  } catch (error) {
    await ask(client, { text: "rollback" }).catch(() => undefined);
    throw error;
  }
}

/** Runs `work` as a part of a transaction: whatever it throws undoes the part alone and is thrown on. */
export async function inSavepoint<T>(tx: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await tx.query({ text: "savepoint part" });
  try {
    const result = await work(tx);
    await tx.query({ text: "release savepoint part" });
    return result;
  } catch (error) {
    const undo = "rollback to savepoint part; release savepoint part";
    await tx.query({ text: undo }).catch(() => undefined);
    throw error;
  }
}

/**
 * Runs `work` with a part of a transaction as its whole database: it reads and writes in it, and its transactions are
 * parts of it. Statements are asked one after the other, and none after `work` has ended. One that the database
 * refuses spoils the part that it is in: whoever means to go on asks it in a `transaction` of its own.
 */
export async function asDatabase<T>(tx: Queryable, work: (db: DatabaseAccess) => Promise<T>): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let ended = false;
  const one: Queryable = {
    query(statement) {
      const asked = last.then(() => {
        if (ended) throw new Error("The transaction of this request has ended.");
        return tx.query<never>(statement);
      });
      last = asked.catch(() => undefined);
      return asked;
    },
  };
  const db = {
    read: one,
    write: one,
    transaction: <R>(part: (tx: Queryable) => Promise<R>) => inSavepoint(one, part),
  };
  return await inSavepoint(tx, () =>
    work(db).finally(() => {
      ended = true;
    }),
  );
}
