/** Where a sealed secret is stored. An envelope is bound to it: it does not open in another row or column. */
export interface SecretLocation {
  table: string;
  /** Names the row: the values of its primary key, joined by a blank. */
  row: string;
  column: string;
}

/** A column of envelopes. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The columns of the primary key; their texts, joined by a blank, are the `row` of a secret's location. */
  key: readonly string[];
}

const RESOURCE_SECRET = { table: "session_resources", column: "secret", key: ["id"] };
const CREDENTIAL_SECRET = { table: "vault_credentials", column: "secret", key: ["id"] };
const IDEMPOTENT_RESPONSE = { table: "idempotency_keys", column: "answer", key: ["token_id", "key"] };
const EGRESS_AUTHORITY = { table: "egress_authorities", column: "key", key: ["purpose"] };

/** Every column that holds sealed secrets. A test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  RESOURCE_SECRET,
  CREDENTIAL_SECRET,
  IDEMPOTENT_RESPONSE,
  EGRESS_AUTHORITY,
];

export function locationIn({ table, column }: SealedColumn, row: string): SecretLocation {
  return { table, row, column };
}

/** A repository's token or password. @param id uuid of the session's resource. */
export function resourceSecret(id: string): SecretLocation {
  return locationIn(RESOURCE_SECRET, id);
}

/** The secret of a vault's credential. @param id uuid of the credential. */
export function credentialSecret(id: string): SecretLocation {
  return locationIn(CREDENTIAL_SECRET, id);
}

/** The response kept for an `Idempotency-Key`. @param holder uuid of its token, or for old rows of its principal. */
export function idempotentResponse(holder: string, key: string): SecretLocation {
  return locationIn(IDEMPOTENT_RESPONSE, `${holder} ${key}`);
}

/** The private key of an authority that the services of an installation share. */
export function egressAuthorityKey(purpose: string): SecretLocation {
  return locationIn(EGRESS_AUTHORITY, purpose);
}
