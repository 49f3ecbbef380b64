import type { Queryable } from "./statement.ts";

/**
 * A PostgreSQL database. `write` runs statements that change rows (each waits for the disk), `read` runs short queries
 * (pipelined on a few connections), and `transaction` runs several statements atomically. All wait at most 5 s for a
 * connection, and reject with `DatabaseUnavailableError` when the server or the connection fails.
 */
export type DatabaseAccess = {
  write: Queryable;
  read: Queryable;
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
};
