import type { Queryable } from "./statement.ts";

/** Returns the id of the database, created with its schema. */
export async function readDatabaseId(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    name: "database_id",
    text: "select id from database_identity",
  });
  return rows[0]?.id ?? "";
}

/**
 * Records the store that has the database's contents. Returns false when another store is recorded and
 * `replace` is false.
 */
export async function recordBlobStore(
  db: Queryable,
  store: string,
  { replace }: { replace: boolean },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "record_blob_store",
    text: "update database_identity set blob_store = $1 where $2 or blob_store is null or blob_store = $1",
    values: [store, replace],
  });
  return rowCount === 1;
}
