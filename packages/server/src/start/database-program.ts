import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";

/** Requires the PostgreSQL program where it is needed. @throws ConfigError when the directory lacks it. */
export function requireDatabaseProgram({ pgBin, databaseUrl }: Config): void {
  if (pgBin === null || databaseUrl !== null) return;
  try {
    accessSync(join(pgBin, "postgres"), constants.X_OK);
  } catch {
    throw new ConfigError([`There is no program postgres in ${pgBin}, which BERTH_PG_BIN names.`]);
  }
}
