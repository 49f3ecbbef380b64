import type { Queryable } from "../db/statement.ts";
import { signingKey as location } from "../secrets/sealed-columns.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { makeSigningKey } from "./ssh-signature.ts";

/** Makes the key of an organization that has none, of which an older one stays. */
export async function addSigningKey(
  db: Queryable,
  secrets: SecretBox,
  organizationId: string,
): Promise<void> {
  const { publicKey, privateKey } = makeSigningKey();
  await db.query({
    name: "add_signing_key",
    text: `insert into signing_keys (organization_id, public_key, private_key) values ($1, $2, $3)
      on conflict (organization_id) do nothing`,
    values: [organizationId, publicKey, secrets.seal(location(organizationId), privateKey)],
  });
}

export async function deleteSigningKey(db: Queryable, organizationId: string): Promise<void> {
  await db.query({
    name: "delete_signing_key",
    text: "delete from signing_keys where organization_id = $1",
    values: [organizationId],
  });
}

/** Returns the sealed private key of the organization of a session; null if it has none. */
export async function readSessionSigningKey(
  db: Queryable,
  sessionId: string,
): Promise<{ organizationId: string; privateKey: Buffer } | null> {
  const { rows } = await db.query<{ organization_id: string; private_key: Buffer }>({
    name: "session_signing_key",
    text: `select organization_id, private_key from sessions join signing_keys using (organization_id)
      where sessions.id = $1`,
    values: [sessionId],
  });
  const [row] = rows;
  return row === undefined ? null : { organizationId: row.organization_id, privateKey: row.private_key };
}
