import { accessSync, constants, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { whoElseChanges, whoElseOwns } from "@berth/linux";

/**
 * Checks that this user can write in the data directory, and that no other user can change it or owns an
 * entry directly in it. Such a user could replace the key of the secrets, the database or the programs of
 * sandboxes. `blobs` is exempt: contents of files may be on a file server that assigns another owner.
 * @throws Error with one sentence for the operator.
 */
export function checkDataDirectory(dataDir: string): void {
  const fault = whoElseChanges(dataDir);
  if (fault !== null) throw new Error(fault);
  if (!mayWrite(dataDir)) throw new Error(notWritable(dataDir));
  for (const name of readdirSync(dataDir).filter((entry) => entry !== "blobs")) {
    const path = join(dataDir, name);
    const owner = whoElseOwns(path, lstatSync(path));
    if (owner !== null) throw new Error(owner);
  }
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES";
  }
}

function notWritable(directory: string): string {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  return `Berth may not write in the data directory ${directory}, which belongs to the user id ${lstatSync(directory).uid}; chown -R ${user}:${group} gives it to Berth's user.`;
}
