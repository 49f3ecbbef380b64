import { isDeepStrictEqual } from "node:util";
import type { connectionRoutes, Input } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { connectionSecret, type SecretBox } from "@berth/store/secrets";
import { patchMetadata } from "../../request/patch-metadata.ts";
import {
  type ConnectionRow,
  renewTokens,
  requireConnectionForUpdate,
  updateConnectionRow,
} from "./connection-store.ts";
import { requireSecret } from "./create-connection.ts";

/**
 * Updates a connection, or rotates its secret. An update that changes nothing leaves `updated_at` as it is; a
 * given secret always counts as a change.
 *
 * @throws errors.invalid for another type
 */
export async function updateConnection(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  { params, body }: Input<typeof connectionRoutes.update>,
): Promise<ConnectionRow> {
  return await db.transaction(async (tx) => {
    const connection = await requireConnectionForUpdate(tx, principal, params.connection_id);
    const { type } = connection.auth;
    if (body.auth !== undefined && body.auth.type !== type)
      throw errors.invalid(`Field 'auth.type' must be '${type}'.`, "auth.type");
    const changed = {
      ...connection,
      display_name: body.display_name ?? connection.display_name,
      metadata: patchMetadata(connection.metadata, body.metadata),
      secret:
        body.auth === undefined
          ? connection.secret
          : secrets.seal(connectionSecret(connection.id), requireSecret(body.auth)),
    };
    if (isDeepStrictEqual(changed, connection)) return connection;
    if (body.auth !== undefined) await renewTokens(tx, connection.id);
    return await updateConnectionRow(tx, changed);
  });
}
