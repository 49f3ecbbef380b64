import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteUnusedEnvironment, requireEnvironmentForUpdate } from "./environment-store.ts";

/** Deletes an environment. @throws errors.inUse while a session that is not terminated uses it. */
export async function deleteEnvironment(
  db: DatabaseAccess,
  principal: Principal,
  environmentId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await requireEnvironmentForUpdate(tx, principal, environmentId);
    if (await deleteUnusedEnvironment(tx, id)) return;
    throw errors.inUse("environment", environmentId, "sessions that are not terminated");
  });
}
