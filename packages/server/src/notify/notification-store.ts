import type { Queryable } from "../db/statement.ts";

/** Returns `last_seq` of those sessions that exist and are not deleted. */
export async function readLastSeqs(
  db: Queryable,
  sessionIds: readonly string[],
): Promise<{ id: string; last_seq: number }[]> {
  const text = "select id, last_seq from sessions where id = any($1::uuid[]) and deleted_at is null";
  return (await db.query<{ id: string; last_seq: number }>({ name: "last_seqs", text, values: [sessionIds] }))
    .rows;
}

/** Sends each payload as a NOTIFY on the channel, in order. */
export async function sendNotifications(
  db: Queryable,
  channel: string,
  payloads: readonly string[],
): Promise<void> {
  const text = "select pg_notify($1, payload) from unnest($2::text[]) as payload";
  await db.query({ name: "notify", text, values: [channel, payloads] });
}
