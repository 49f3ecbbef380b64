import { MAX_VAULT_SECRET_BYTES } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { ENVELOPE_BYTES } from "@berth/store/secrets";
import { sealedVariables } from "./credential-store.ts";

/**
 * Requires that the variables of a locked vault have space for one more value. A session's egress searches
 * each response of their hosts for all of them.
 *
 * @param id uuid of the variable's credential, whose stored value does not count.
 * @throws errors.invalid
 */
export async function requireRoom(
  tx: Queryable,
  vaultId: string,
  { id, value }: { id: string; value: string },
): Promise<void> {
  const { count, bytes } = await sealedVariables(tx, vaultId, id);
  const room = MAX_VAULT_SECRET_BYTES - (bytes - count * ENVELOPE_BYTES);
  const wanted = Buffer.byteLength(value);
  if (wanted <= room) return;
  const message = `Field 'auth.secret_value' has ${wanted} bytes, but only ${Math.max(0, room)} of the ${MAX_VAULT_SECRET_BYTES} bytes that a vault's variables may have together are left.`;
  throw errors.invalid(message, "auth.secret_value");
}
