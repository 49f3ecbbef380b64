import type { Queryable } from "./statement.ts";

/** The SQL of a `BatchStatement`, with a name of its own. */
export type BatchText = { name: string; text: string };

/**
 * A statement that stores any number of rows as it stores one. It has one parameter, the rows as a JSON array, and returns
 * the `id` of each row that it stored with what else the caller wants; a row that it does not return was not stored.
 */
export type BatchStatement<Row extends { id: string }, Stored extends { id: string }> = BatchText & {
  /** The row as a JSON object. */
  encode(row: Row): string;
  /** Only for its type. */
  stored?: Stored;
};

/** Stores one row: null when the statement did not store it. */
export async function storeOne<Row extends { id: string }, Stored extends { id: string }>(
  db: Queryable,
  statement: BatchStatement<Row, Stored>,
  row: Row,
): Promise<Stored | null> {
  return (await storeAll<Stored>(db, statement, [statement.encode(row)])).rows[0] ?? null;
}

/** @param encoded the rows as JSON objects. */
export async function storeAll<Stored extends object>(
  db: Queryable,
  { name, text }: BatchText,
  encoded: readonly string[],
): Promise<{ rows: Stored[] }> {
  return await db.query<Stored>({ name, text, values: [`[${encoded.join()}]`] });
}
