import { formatId, type Input, type ResponseOf, type sessionResourceRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { checkNotEnded, requireSessionForUpdate } from "../state/session-state-store.ts";
import { removeFileResource, requireResource } from "./resource-store.ts";

/**
 * Removes a file from a session that is neither archived nor terminated. The worker that leases the session
 * then removes it from the sandbox and the disk.
 *
 * @throws errors.notRemovable, errors.sessionTerminated, errors.sessionArchived
 */
export async function deleteResource(
  db: DatabaseAccess,
  principal: Principal,
  { params }: Input<typeof sessionResourceRoutes.delete>,
): Promise<ResponseOf<typeof sessionResourceRoutes.delete>> {
  return await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, params.session_id);
    const resource = await requireResource(tx, session.id, params.resource_id);
    if (resource.type !== "file") throw errors.notRemovable(resource.type);
    checkNotEnded(session, params.session_id);
    await removeFileResource(tx, session.id, resource);
    return { id: formatId("session_resource", resource.id), type: "session_resource_deleted" };
  });
}
