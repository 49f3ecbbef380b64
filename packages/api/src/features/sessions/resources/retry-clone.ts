import type { Input, ResponseOf, sessionResourceRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { checkNotEnded, requireSessionForUpdate } from "../state/session-state-store.ts";
import { toRepositoryResource } from "./resource-row.ts";
import { requestRetry, requireResource } from "./resource-store.ts";

/**
 * Retries a failed clone of a repository at once, also one that waits for its next attempt.
 *
 * @throws errors.notRetryable, errors.sessionTerminated, errors.sessionArchived, errors.cloneNotFailed
 */
export async function retryClone(
  db: DatabaseAccess,
  principal: Principal,
  { session_id, resource_id }: Input<typeof sessionResourceRoutes.rotate>["params"],
): Promise<ResponseOf<typeof sessionResourceRoutes.rotate>> {
  return await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, session_id);
    const { id, type } = await requireResource(tx, session.id, resource_id);
    if (type === "file" || type === "memory_store") throw errors.notRetryable(type);
    checkNotEnded(session, session_id);
    const row = await requestRetry(tx, id);
    if (row === null) throw errors.cloneNotFailed(resource_id);
    return toRepositoryResource(row);
  });
}
