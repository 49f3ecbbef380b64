import type { Queryable } from "@berth/store/db";

/** The present state of a memory. `id` is a uuid. */
export interface Head {
  id: string;
  path: string;
  content_sha256: string;
}

/** Returns how many changes each of the stores has had. A deleted store is missing. */
export async function lastVersions(db: Queryable, storeIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; last_version: number }>({
    name: "last_memory_versions",
    text: "select id, last_version from memory_stores where id = any($1::uuid[])",
    values: [storeIds],
  });
  return new Map(rows.map(({ id, last_version: version }) => [id, version]));
}

/** Returns every memory of a store, by path. */
export async function readHeads(db: Queryable, storeId: string): Promise<Map<string, Head>> {
  const { rows } = await db.query<Head>({
    name: "read_memory_heads",
    text: "select id, path, content_sha256 from memories where memory_store_id = $1",
    values: [storeId],
  });
  return new Map(rows.map((head) => [head.path, head]));
}

/** Returns the contents of the memories that exist at these paths. */
export async function readContents(
  db: Queryable,
  storeId: string,
  paths: readonly string[],
): Promise<{ path: string; content: string; content_sha256: string }[]> {
  if (paths.length === 0) return [];
  const { rows } = await db.query<{ path: string; content: string; content_sha256: string }>({
    name: "read_memory_contents",
    text: `
      select path, content, content_sha256 from memories
      where memory_store_id = $1 and path = any($2::text[]) order by path`,
    values: [storeId, paths],
  });
  return rows;
}

/** Returns whether any version at this path had this content. */
export async function hadContent(
  db: Queryable,
  storeId: string,
  path: string,
  contentSha256: string,
): Promise<boolean> {
  const { rows } = await db.query({
    name: "memory_was_ever",
    text: `
      select 1 as was from memory_versions
      where memory_store_id = $1 and path = $2 and content_sha256 = $3 limit 1`,
    values: [storeId, path, contentSha256],
  });
  return rows.length > 0;
}
