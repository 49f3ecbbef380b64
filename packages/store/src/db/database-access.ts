import type { BatchStatement } from "./batch.ts";
import type { Queryable } from "./statement.ts";

/**
 * A PostgreSQL database. `write` runs statements that change rows (each waits for the disk), `read` runs short queries
 * (pipelined on a few connections), `transaction` runs several statements atomically, and `store` writes a row
 * together with those that others store at the same time (in a transaction: alone). All wait at most 5 s for a connection, and reject with `DatabaseUnavailableError` when the server or the connection fails.
 */
export type DatabaseAccess = {
  write: Queryable;
  read: Queryable;
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Resolves with what the statement returned for the row; null when it did not store it. */
  store<Row extends { id: string }, Stored extends { id: string }>(
    statement: BatchStatement<Row, Stored>,
    row: Row,
  ): Promise<Stored | null>;
};
