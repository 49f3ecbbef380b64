import type { BatchStatement } from "./batch.ts";
import type { Queryable } from "./statement.ts";

/**
 * A PostgreSQL database, or one of its transactions. All operations wait at most 5 s for a connection, and
 * reject with `DatabaseUnavailableError` when the server or the connection fails.
 *
 * `write` runs statements that change rows, each of which waits for the disk. `read` runs short queries,
 * pipelined on a few connections. `transaction` runs several statements atomically. `store` writes a row
 * together with those that others store at the same time; in a transaction it writes the row alone.
 */
export type DatabaseAccess = {
  write: Queryable;
  read: Queryable;
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Resolves with what the statement returned for the row, or with null when it did not store the row. */
  store<Row extends { id: string }, Stored extends { id: string }>(
    statement: BatchStatement<Row, Stored>,
    row: Row,
  ): Promise<Stored | null>;
};
