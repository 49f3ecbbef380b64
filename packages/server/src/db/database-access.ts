import type { Queryable } from "./statement.ts";

/**
 * One PostgreSQL, asked in three ways: `write` for statements that change something (each waits for the disk), `read`
 * for short reads (many under way on a few connections), `transaction` for several statements that stand or fall
 * together. All wait at most 5 s for a connection; what fails for the server's sake is a `DatabaseUnavailableError`.
 */
export type DatabaseAccess = {
  write: Queryable;
  read: Queryable;
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
};
