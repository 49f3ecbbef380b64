import type { Queryable } from "@berth/store/db";
import type { AddressedPreview } from "./preview-addresses.ts";

/** A preview that can be served. */
export interface ServedPreview extends AddressedPreview {
  /** uuid. */
  session_id: string;
  port: number;
  /** Milliseconds until it expires. */
  leftMs: number;
}

/** Returns a preview by its label; null when it has ended, or its session has. */
export async function servedPreview(db: Queryable, label: string): Promise<ServedPreview | null> {
  const { rows } = await db.query<ServedPreview>({
    name: "served_preview",
    text: `
      select port_previews.id, session_id, label, port, expires_at,
        extract(epoch from expires_at - now())::float8 * 1000 as "leftMs"
      from port_previews join sessions on sessions.id = session_id
      where label = $1 and expires_at > now()
        and archived_at is null and terminated_at is null and deleted_at is null`,
    values: [label],
  });
  return rows[0] ?? null;
}

/** Returns whether a runner holds the session, whose sandbox may then be open. @param sessionId a uuid. */
export async function isHeld(db: Queryable, sessionId: string): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>({
    name: "session_is_held",
    text: "select lease_owner is not null as held from sessions where id = $1",
    values: [sessionId],
  });
  return rows[0]?.held ?? false;
}
