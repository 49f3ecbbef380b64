import type { Queryable } from "../db/statement.ts";
import type { Notification } from "./channels.ts";

/** Returns `last_seq` of the sessions that exist and are not deleted. */
export async function readLastSeqs(
  db: Queryable,
  sessionIds: readonly string[],
): Promise<{ id: string; last_seq: number }[]> {
  const text = "select id, last_seq from sessions where id = any($1::uuid[]) and deleted_at is null";
  return (await db.query<{ id: string; last_seq: number }>({ name: "last_seqs", text, values: [sessionIds] }))
    .rows;
}

/** Sends each payload as a NOTIFY on its channel, in order. */
export async function sendNotifications(
  db: Queryable,
  notifications: readonly Notification[],
): Promise<void> {
  const text =
    "select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as notification (channel, payload)";
  const channels = notifications.map(({ channel }) => channel);
  const payloads = notifications.map(({ payload }) => payload);
  await db.query({ name: "notify", text, values: [channels, payloads] });
}
