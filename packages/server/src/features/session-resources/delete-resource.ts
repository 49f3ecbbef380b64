import { formatId, type Input, parseId, type ResponseOf, type sessionResourceRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reachAndLock } from "../sessions/reach-session.ts";
import { getResource, removeFileResource } from "./resource-store.ts";

/**
 * Takes a file away from a session that is neither archived nor terminated. It leaves an open sandbox and the disk soon
 * after: whoever holds the session finds it among the removals.
 */
export async function deleteResource(
  db: DatabaseAccess,
  principal: Principal,
  { params }: Input<typeof sessionResourceRoutes.delete>,
): Promise<ResponseOf<typeof sessionResourceRoutes.delete>> {
  return await db.transaction(async (tx) => {
    const session = await reachAndLock(tx, principal, params.session_id);
    const id = parseId("session_resource", params.resource_id);
    const resource = id === null ? null : await getResource(tx, session.id, id);
    if (resource === null) throw errors.notFound("resource", params.resource_id);
    if (resource.type !== "file") throw errors.notRemovable(resource.type);
    if (session.terminated) throw errors.sessionTerminated(params.session_id);
    if (session.archived) throw errors.sessionArchived(params.session_id);
    await removeFileResource(tx, session.id, resource);
    return { id: formatId("session_resource", resource.id), type: "session_resource_deleted" };
  });
}
