import type { Queryable } from "../../db/statement.ts";

/** A file that was deleted from the session and may still be in its place. `id` is the uuid that the resource had. */
export interface Removal {
  id: string;
  mountPath: string;
}

/** Oldest first. To be read before the session's resources: those that are read then are newer than these removals. */
export async function readRemovals(db: Queryable, sessionId: string): Promise<Removal[]> {
  const text = `select resource_id, mount_path from session_removals where session_id = $1 order by resource_id`;
  type Row = { resource_id: string; mount_path: string };
  const { rows } = await db.query<Row>({ name: "session_removals", text, values: [sessionId] });
  return rows.map(({ resource_id: id, mount_path: mountPath }) => ({ id, mountPath }));
}

/** Whether another resource has been put in the place since, over what was there. */
export async function isReplaced(db: Queryable, sessionId: string, { mountPath }: Removal): Promise<boolean> {
  const { rows } = await db.query({
    name: "removal_is_replaced",
    text: `select 1 as there from session_resources
      where session_id = $1 and mount_path = $2 and ready_at is not null`,
    values: [sessionId, mountPath],
  });
  return rows.length > 0;
}

/** It is done. */
export async function forgetRemoval(db: Queryable, { id }: Removal): Promise<void> {
  const text = "delete from session_removals where resource_id = $1";
  await db.query({ name: "forget_removal", text, values: [id] });
}
