import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { whoElseChanges, whoElseOwns } from "@berth/linux";

/**
 * @throws one sentence when another user can change the data directory, or owns something directly in it: such a user could
 * replace the key of the secrets, the database or the programs of sandboxes. Contents of files may lie on a file server that
 * gives them another owner.
 */
export function checkDataDirectory(dataDir: string): void {
  const fault = whoElseChanges(dataDir);
  if (fault !== null) throw new Error(fault);
  for (const name of readdirSync(dataDir).filter((entry) => entry !== "blobs")) {
    const path = join(dataDir, name);
    const owner = whoElseOwns(path, lstatSync(path));
    if (owner !== null) throw new Error(owner);
  }
}
