import { type DatabaseKeys, readFormerKey, readSecretKey } from "@berth/store/secrets";
import type { Config } from "../config/config.ts";

/** Returns the keys of the stored secrets. */
export function keysOf(config: Config): DatabaseKeys {
  const location = { file: config.secretKeyFile, dataDir: config.dataDir };
  return { active: readSecretKey(location), former: readFormerKey(location) };
}
