import type { Queryable } from "../../db/statement.ts";

/** Keeps others from storing or removing a content until the transaction ends, so that no file is without its content. */
export async function lockContent(tx: Queryable, sha256: string): Promise<void> {
  const text = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
  await tx.query({ name: "lock_content", text, values: [sha256] });
}
