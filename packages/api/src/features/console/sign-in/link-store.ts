import type { Queryable } from "@berth/store/db";

/** Stores a link. @returns its expiry, after 60 seconds by the database's clock. */
export async function insertLink(db: Queryable, codeHash: Buffer, tokenId: string): Promise<Date> {
  const { rows } = await db.query<{ expires_at: Date }>({
    name: "insert_console_link",
    text: `insert into console_links (code_hash, token_id, expires_at)
      values ($1, $2, now() + interval '60 seconds') returning expires_at`,
    values: [codeHash, tokenId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("The link was not stored.");
  return row.expires_at;
}

/** Deletes a link and returns its token, once. Returns null when there is none or it has expired. */
export async function takeLink(tx: Queryable, codeHash: Buffer): Promise<{ token_id: string } | null> {
  const { rows } = await tx.query<{ token_id: string; expired: boolean }>({
    name: "take_console_link",
    text: `delete from console_links where code_hash = $1
      returning token_id, expires_at <= clock_timestamp() as expired`,
    values: [codeHash],
  });
  const [row] = rows;
  return row === undefined || row.expired ? null : row;
}

export async function deleteExpiredLinks(db: Queryable): Promise<void> {
  await db.query({
    name: "delete_expired_console_links",
    text: "delete from console_links where expires_at < now()",
  });
}
