/** The location of a stored secret. An envelope is bound to it and does not open in another row or column. */
export interface SecretLocation {
  table: string;
  /** The row's primary key: the values of its columns, joined by a blank. */
  row: string;
  column: string;
}

/** A column of envelopes. */
export interface SealedColumn {
  table: string;
  column: string;
  /** Columns of the primary key. Their texts, joined by a blank, are the `row` of a secret's location. */
  key: readonly string[];
}

const RESOURCE_SECRET = { table: "session_resources", column: "secret", key: ["id"] };
const CREDENTIAL_SECRET = { table: "vault_credentials", column: "secret", key: ["id"] };
const IDEMPOTENT_RESPONSE = { table: "idempotency_keys", column: "answer", key: ["token_id", "key"] };
const EGRESS_AUTHORITY = { table: "egress_authorities", column: "key", key: ["purpose"] };

/** Every column that contains sealed secrets. A test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  RESOURCE_SECRET,
  CREDENTIAL_SECRET,
  IDEMPOTENT_RESPONSE,
  EGRESS_AUTHORITY,
];

/** Returns the location of a column's secret in a row. */
export function locationIn({ table, column }: SealedColumn, row: string): SecretLocation {
  return { table, row, column };
}

/**
 * Returns the location of a repository's token or password.
 * @param id uuid of the session's resource.
 */
export function resourceSecret(id: string): SecretLocation {
  return locationIn(RESOURCE_SECRET, id);
}

/**
 * Returns the location of the secret of a vault's credential.
 * @param id uuid of the credential.
 */
export function credentialSecret(id: string): SecretLocation {
  return locationIn(CREDENTIAL_SECRET, id);
}

/**
 * Returns the location of the response that is kept for an `Idempotency-Key`.
 * @param holder uuid of its token.
 */
export function idempotentResponse(holder: string, key: string): SecretLocation {
  return locationIn(IDEMPOTENT_RESPONSE, `${holder} ${key}`);
}

/** Returns the location of the private key of an authority that the services of an installation share. */
export function egressAuthorityKey(purpose: string): SecretLocation {
  return locationIn(EGRESS_AUTHORITY, purpose);
}
