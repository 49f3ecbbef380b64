import type { ClientBase } from "pg";
import { storeOne } from "./batch.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import { execute, type Queryable } from "./statement.ts";

/**
 * Runs `work` between BEGIN and COMMIT on one connection (READ COMMITTED). When `work` throws, the
 * transaction is rolled back and the error rethrown. `tx` is valid only inside `work`.
 *
 * When the database does not respond, the caller must close the connection, which also rolls back. ROLLBACK
 * would queue behind the statement without a response, such as a COMMIT that waits for a standby.
 */
export async function inTransaction<T>(client: ClientBase, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await execute(client, { text: "begin" });
  try {
    const result = await work({ query: (statement) => execute(client, statement) });
    await execute(client, { text: "commit" });
    return result;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError))
      await execute(client, { text: "rollback" }).catch(() => undefined);
    throw error;
  }
}

/** Runs `work` in a savepoint. When it throws, only the savepoint is rolled back and the error rethrown. */
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
 * Runs `work` with a transaction as its whole database: its reads and writes go to the transaction, and its
 * own transactions become savepoints. Statements run one after another, and none after `work` has ended. A
 * failed statement aborts its savepoint or the whole transaction, so run a statement that may fail in its own
 * `transaction`.
 */
export async function asDatabase<T>(tx: Queryable, work: (db: DatabaseAccess) => Promise<T>): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let ended = false;
  const one: Queryable = {
    query(statement) {
      const result = last.then(() => {
        if (ended) throw new Error("The transaction of this request has ended.");
        return tx.query<never>(statement);
      });
      last = result.catch(() => undefined);
      return result;
    },
  };
  const db: DatabaseAccess = {
    read: one,
    write: one,
    transaction: (part) => inSavepoint(one, part),
    store: (statement, row) => storeOne(one, statement, row),
  };
  return await work(db).finally(() => {
    ended = true;
  });
}
