import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { lockContent } from "./lock-content.ts";

/** Removes a content that neither a file nor a version of a skill has any more. Only after the deletion stands: what is removed does not come back. */
export async function removeUnused(db: DatabaseAccess, blobs: BlobStore, sha256: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockContent(tx, sha256);
    if ((await usedAmong(tx, [sha256])).size === 0) await blobs.remove(sha256);
  });
}

/** Those of the contents that a file or a version of a skill has. */
export async function usedAmong(db: Queryable, contents: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ sha256: string }>({
    name: "contents_used",
    text: `
      select sha256 from files where sha256 = any($1::text[])
      union select sha256 from skill_versions where sha256 = any($1::text[])`,
    values: [contents],
  });
  return new Set(rows.map(({ sha256 }) => sha256));
}
