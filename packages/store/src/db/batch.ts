import type { Queryable } from "./statement.ts";

/** The SQL of a `BatchStatement`, with its own name. */
export type BatchText = { name: string; text: string };

/**
 * A statement that stores any number of rows in the same way as one. Its only parameter is the rows as a JSON
 * array. It returns the `id` of each stored row, with whatever else the caller needs. A row that it does not
 * return was not stored.
 */
export type BatchStatement<Row extends { id: string }, Stored extends { id: string }> = BatchText & {
  /** Returns the row as a JSON object. */
  encode(row: Row): string;
  /** Never set; it only carries the type. */
  stored?: Stored;
};

/** Stores one row. Returns null when the statement did not store it. */
export async function storeOne<Row extends { id: string }, Stored extends { id: string }>(
  db: Queryable,
  statement: BatchStatement<Row, Stored>,
  row: Row,
): Promise<Stored | null> {
  return (await storeAll<Stored>(db, statement, [statement.encode(row)])).rows[0] ?? null;
}

/**
 * Stores rows with one statement.
 * @param encoded The rows as JSON objects.
 */
export async function storeAll<Stored extends object>(
  db: Queryable,
  { name, text }: BatchText,
  encoded: readonly string[],
): Promise<{ rows: Stored[] }> {
  return await db.query<Stored>({ name, text, values: [`[${encoded.join()}]`] });
}
