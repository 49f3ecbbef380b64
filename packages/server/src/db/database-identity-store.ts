import type { Queryable } from "./statement.ts";

/** The id of the database, created with its schema. */
export async function readDatabaseId(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    name: "database_id",
    text: "select id from database_identity",
  });
  return rows[0]?.id ?? "";
}
