export { type DatabaseKeys, recordDatabaseKey, requireDatabaseKey } from "./secrets/database-key-store.ts";
export { countKeys, type KeyChange, reseal, UnopenedSecret } from "./secrets/reseal-store.ts";
export {
  connectionSecret,
  credentialSecret,
  deploymentSecrets,
  egressAuthorityKey,
  formerWebhookSecret,
  idempotentResponse,
  resourceSecret,
  type SecretLocation,
  sessionToken,
  signingKey,
  triggerSecret,
  triggerToken,
  webhookSecret,
} from "./secrets/sealed-columns.ts";
export { derivedKey, ENVELOPE_BYTES, SecretBox } from "./secrets/secret-box.ts";
export {
  deleteFormerKey,
  readFormerKey,
  readKey,
  readSecretKey,
  replaceSecretKey,
} from "./secrets/secret-key.ts";
