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
const CONNECTION_SECRET = { table: "connections", column: "secret", key: ["id"] };
const WEBHOOK_SECRET = { table: "webhooks", column: "secret", key: ["id"] };
const FORMER_WEBHOOK_SECRET = { table: "webhooks", column: "former_secret", key: ["id"] };
const DEPLOYMENT_SECRETS = { table: "deployments", column: "resource_secrets", key: ["id"] };
const TRIGGER_SECRET = { table: "deployment_triggers", column: "secret", key: ["id"] };
const TRIGGER_TOKEN = { table: "deployment_triggers", column: "token", key: ["id"] };
const SESSION_TOKEN = { table: "session_tokens", column: "token", key: ["id"] };
const SIGNING_KEY = { table: "signing_keys", column: "private_key", key: ["organization_id"] };
const IDEMPOTENT_RESPONSE = { table: "idempotency_keys", column: "answer", key: ["token_id", "key"] };
const EGRESS_AUTHORITY = { table: "egress_authorities", column: "key", key: ["purpose"] };

/** Every column that contains sealed secrets. A test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  RESOURCE_SECRET,
  CREDENTIAL_SECRET,
  CONNECTION_SECRET,
  WEBHOOK_SECRET,
  FORMER_WEBHOOK_SECRET,
  DEPLOYMENT_SECRETS,
  TRIGGER_SECRET,
  TRIGGER_TOKEN,
  SESSION_TOKEN,
  SIGNING_KEY,
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
 * Returns the location of the secret of a connection to a git host.
 * @param id uuid of the connection.
 */
export function connectionSecret(id: string): SecretLocation {
  return locationIn(CONNECTION_SECRET, id);
}

/**
 * Returns the location of the key by which a webhook signs, or of its address for Slack.
 * @param id uuid of the webhook.
 */
export function webhookSecret(id: string): SecretLocation {
  return locationIn(WEBHOOK_SECRET, id);
}

/**
 * Returns the location of the key by which a webhook signed before.
 * @param id uuid of the webhook.
 */
export function formerWebhookSecret(id: string): SecretLocation {
  return locationIn(FORMER_WEBHOOK_SECRET, id);
}

/**
 * Returns the location of the secret by which the sender of a trigger signs.
 * @param id uuid of the trigger.
 */
export function triggerSecret(id: string): SecretLocation {
  return locationIn(TRIGGER_SECRET, id);
}

/**
 * Returns the location of the token by which a trigger answers.
 * @param id uuid of the trigger.
 */
export function triggerToken(id: string): SecretLocation {
  return locationIn(TRIGGER_TOKEN, id);
}

/**
 * Returns the location of the tokens and passwords of a deployment's repositories.
 * @param id uuid of the deployment.
 */
export function deploymentSecrets(id: string): SecretLocation {
  return locationIn(DEPLOYMENT_SECRETS, id);
}

/**
 * Returns the location of a token that a connection made for a session.
 * @param id uuid of its row.
 */
export function sessionToken(id: string): SecretLocation {
  return locationIn(SESSION_TOKEN, id);
}

/**
 * Returns the location of the private key that signs commits.
 * @param id uuid of the organization.
 */
export function signingKey(id: string): SecretLocation {
  return locationIn(SIGNING_KEY, id);
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
