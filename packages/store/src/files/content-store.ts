import type { BlobStore } from "../blobs/interface/blob-store.ts";
import type { DatabaseAccess } from "../db/database-access.ts";
import type { Queryable } from "../db/statement.ts";

/**
 * Prevents others from storing or removing a content until the transaction ends, so that no file loses its
 * content.
 */
export async function lockContent(tx: Queryable, sha256: string): Promise<void> {
  const text = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
  await tx.query({ name: "lock_content", text, values: [sha256] });
}

/**
 * Locks several contents as `lockContent` does; a transaction must lock no other contents. PostgreSQL has
 * room for 64 locks per connection (`max_locks_per_transaction`), shared by all connections. More than about
 * 32 contents at once could use up the room of others.
 */
export async function lockContents(tx: Queryable, contents: readonly string[]): Promise<void> {
  await tx.query({
    name: "lock_contents",
    text: "select pg_advisory_xact_lock(hashtextextended(sha256, 0)) from unnest($1::text[]) as content (sha256)",
    // The order prevents deadlocks between transactions.
    values: [contents.toSorted()],
  });
}

/** Returns which of the contents a file, a skill version or a saved workspace uses. */
export async function usedContents(db: Queryable, contents: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ sha256: string }>({
    name: "contents_used",
    text: `
      select sha256 from files where sha256 = any($1::text[])
      union select sha256 from skill_versions where sha256 = any($1::text[])
      union select saved.sha256 from workspace_saves, unnest(contents) as saved (sha256)
      where contents && $1::text[] and saved.sha256 = any($1::text[])`,
    values: [contents],
  });
  return new Set(rows.map(({ sha256 }) => sha256));
}

/** Returns every content that a file, a skill version or a saved workspace uses. */
export async function allContents(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ sha256: string }>({
    name: "all_contents",
    text: `
      select sha256 from files where sha256 is not null
      union select sha256 from skill_versions
      union select unnest(contents) from workspace_saves order by sha256`,
  });
  return rows.map(({ sha256 }) => sha256);
}

const KEPT = "hashtextextended('contents are kept', 0)";

/**
 * Prevents the removal of contents until the transaction ends, which may stay idle for any time. Waits for
 * removals in progress.
 */
export async function keepContents(tx: Queryable): Promise<void> {
  await tx.query({ text: "set local idle_in_transaction_session_timeout = 0" });
  await tx.query({ text: `select pg_advisory_xact_lock(${KEPT})` });
}

async function areContentsKept(tx: Queryable): Promise<boolean> {
  const text = `select not pg_try_advisory_xact_lock_shared(${KEPT}) as kept`;
  const { rows } = await tx.query<{ kept: boolean }>({ name: "contents_kept", text });
  return rows[0]?.kept ?? false;
}

/**
 * Removes a content that nothing uses. Call it after the deletion is committed, because removing cannot be
 * rolled back. While contents are kept, a later sweep removes it.
 * @returns false while contents are kept.
 */
export async function removeUnusedContent(
  db: DatabaseAccess,
  blobs: BlobStore,
  sha256: string,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (await areContentsKept(tx)) return false;
    await lockContent(tx, sha256);
    if ((await usedContents(tx, [sha256])).size === 0) await blobs.remove(sha256);
    return true;
  });
}
