import type { KeyPair } from "@berth/egress";
import type { Queryable } from "@berth/store/db";
import { egressAuthorityKey, type SecretBox } from "@berth/store/secrets";

/** `tunnels`: for both ends of tunnels. `hosts`: for certificates of hosts that get secrets. */
export type AuthorityPurpose = "tunnels" | "hosts";

/** Returns the authority that all services of the database share. Creates it if it does not exist. */
export async function sharedAuthority(
  db: Queryable,
  secrets: SecretBox,
  purpose: AuthorityPurpose,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  const found = await readAuthority(db, secrets, purpose);
  if (found !== null) return found;
  const { certificate, key } = await make();
  await db.query({
    name: "insert_egress_authority",
    text: "insert into egress_authorities (purpose, certificate, key) values ($1, $2, $3) on conflict do nothing",
    values: [purpose, certificate, secrets.seal(egressAuthorityKey(purpose), key)],
  });
  const made = await readAuthority(db, secrets, purpose);
  if (made === null) throw new Error("An egress authority was removed.");
  return made;
}

async function readAuthority(
  db: Queryable,
  secrets: SecretBox,
  purpose: AuthorityPurpose,
): Promise<KeyPair | null> {
  const { rows } = await db.query<{ certificate: string; key: Buffer }>({
    name: "egress_authority",
    text: "select certificate, key from egress_authorities where purpose = $1",
    values: [purpose],
  });
  const [row] = rows;
  if (row === undefined) return null;
  return { certificate: row.certificate, key: secrets.open(egressAuthorityKey(purpose), row.key) };
}
