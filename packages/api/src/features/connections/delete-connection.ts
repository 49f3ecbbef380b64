import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteUnusedConnection, requireConnectionForUpdate } from "./connection-store.ts";

/** Deletes a connection with its secret. @throws errors.inUse while something needs it. */
export async function deleteConnection(
  db: DatabaseAccess,
  principal: Principal,
  connectionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await requireConnectionForUpdate(tx, principal, connectionId);
    if (await deleteUnusedConnection(tx, id)) return;
    throw errors.inUse(
      "connection",
      connectionId,
      "sessions that are neither archived nor terminated, or by tokens that are still to be revoked",
    );
  });
}
