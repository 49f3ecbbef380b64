import type { Queryable } from "@berth/store/db";

/** A file that was deleted from the session and may still be on the disk. `id`: the resource's uuid. */
export interface Removal {
  id: string;
  mountPath: string;
}

/** Returns whether another resource was put at the same path since. */
export async function isReplaced(db: Queryable, sessionId: string, { mountPath }: Removal): Promise<boolean> {
  const { rows } = await db.query({
    name: "removal_is_replaced",
    text: `select 1 as there from session_resources
      where session_id = $1 and mount_path = $2 and ready_at is not null`,
    values: [sessionId, mountPath],
  });
  return rows.length > 0;
}

/** Deletes the record of a removal that is done. */
export async function forgetRemoval(db: Queryable, { id }: Removal): Promise<void> {
  const text = "delete from session_removals where resource_id = $1";
  await db.query({ name: "forget_removal", text, values: [id] });
}
