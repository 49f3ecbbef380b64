import type { ClientBase, QueryResultRow } from "pg";
import { databaseError } from "./database-error.ts";

/**
 * An SQL statement. A named one is prepared once per connection, so a name must always have the same text
 * (`insert_session`). Text that is assembled at run time has no name and is planned each time.
 */
export type Statement = { name?: string; text: string; values?: readonly unknown[] };

export type Rows<Row> = { rows: Row[]; rowCount: number };

/**
 * Runs statements: the write pool, the readers, or one transaction. Functions of stores take it as their
 * first argument.
 */
export type Queryable = {
  query<Row extends object = Record<string, unknown>>(statement: Statement): Promise<Rows<Row>>;
};

/**
 * Executes a statement.
 * @throws DatabaseUnavailableError when the server or the connection fails; otherwise pg's own error.
 */
export async function execute<Row extends object>(
  client: Pick<ClientBase, "query">,
  statement: Statement,
): Promise<Rows<Row>> {
  try {
    const { rows, rowCount } = await client.query<Row & QueryResultRow>({
      text: statement.text,
      ...(statement.name === undefined ? {} : { name: statement.name }),
      ...(statement.values === undefined ? {} : { values: [...statement.values] }),
    });
    return { rows, rowCount: rowCount ?? 0 };
  } catch (error) {
    throw databaseError(error);
  }
}

/** Returns the size of the whole database in bytes. */
export async function databaseBytes(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>({
    name: "database_bytes",
    text: "select pg_database_size(current_database())::double precision as bytes",
  });
  return rows[0]?.bytes ?? 0;
}

/** Resolves when the database responds. */
export async function ping(db: Queryable): Promise<void> {
  await db.query({ name: "ready", text: "select 1" });
}
