import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";

/** Prevents others from storing or removing a content until the transaction ends, so that no file loses its content. */
export async function lockContent(tx: Queryable, sha256: string): Promise<void> {
  const text = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
  await tx.query({ name: "lock_content", text, values: [sha256] });
}

/** Those of the contents that a file or a version of a skill has. */
export async function usedContents(db: Queryable, contents: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ sha256: string }>({
    name: "contents_used",
    text: `
      select sha256 from files where sha256 = any($1::text[])
      union select sha256 from skill_versions where sha256 = any($1::text[])`,
    values: [contents],
  });
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Removes a content that nothing uses. Called after the deletion is committed, because removing cannot be rolled back. */
export async function removeUnusedContent(
  db: DatabaseAccess,
  blobs: BlobStore,
  sha256: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockContent(tx, sha256);
    if ((await usedContents(tx, [sha256])).size === 0) await blobs.remove(sha256);
  });
}
