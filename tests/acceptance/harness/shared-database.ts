import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Berth } from "./berth.ts";

/**
 * Returns the settings with which another service uses a service's embedded database, with its key and
 * contents.
 */
export function settingsToShare(berth: Berth) {
  return {
    BERTH_DATABASE_URL: databaseUrlOf(berth),
    BERTH_SECRET_KEY_FILE: join(berth.dataDir, "secret.key"),
    BERTH_BLOBS: join(berth.dataDir, "blobs"),
  };
}

/**
 * Returns the URL of a service's embedded database, with the socket from postmaster.pid and the password of
 * its role.
 */
export function databaseUrlOf(berth: Berth): string {
  const password = readFileSync(`${berth.dataDir}/postgres/password`, "utf8");
  const [, , , port, socket] = readFileSync(`${berth.dataDir}/postgres/cluster/postmaster.pid`, "utf8").split(
    "\n",
  );
  return `postgres://berth:${password}@localhost:${port}/berth?host=${encodeURIComponent(socket ?? "")}`;
}
