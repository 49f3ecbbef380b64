import type { Config } from "../config/config.ts";
import type { DatabaseKeys } from "../secrets/database-key-store.ts";
import { readFormerKey, readSecretKey } from "../secrets/secret-key.ts";

/** The keys of the stored secrets. */
export function keysOf(config: Config): DatabaseKeys {
  const location = { file: config.secretKeyFile, dataDir: config.dataDir };
  return { active: readSecretKey(location), former: readFormerKey(location) };
}
