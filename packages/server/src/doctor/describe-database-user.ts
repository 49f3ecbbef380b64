import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Capability } from "@berth/sandbox";
import { serverUser } from "@berth/store/embedded-postgres";
import type { Config } from "../config/config.ts";

/** Reports who else on the machine can read the embedded database. Returns null when there is none. */
export function describeDatabaseUser({ databaseUrl, dataDir }: Config): Capability | null {
  const directory = join(dataDir, "postgres");
  if (databaseUrl !== null || !existsSync(directory)) return null;
  const name = "database_user";
  const user = serverUser(directory);
  if (user !== undefined && !user.isOwn) {
    const detail =
      "The embedded PostgreSQL runs as nobody, so other programs of that user can read its files. Berth has no permission to create mount namespaces here, or this container has too few user ids.";
    return { name, state: "degraded", detail };
  }
  const who =
    user === undefined ? "the user of Berth" : `the user id ${user.uid}, which belongs to no account`;
  return { name, state: "yes", detail: `The embedded PostgreSQL runs as ${who}, and requires a password.` };
}
