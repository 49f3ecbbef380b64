import { type Stats, statSync } from "node:fs";

/**
 * Checks that only this process's user and root can change a file or directory. Returns a sentence for the
 * operator when others can, or null. The mode's group bits also cover access control lists.
 */
export function whoElseChanges(path: string): string | null {
  const status = statSync(path);
  const owner = whoElseOwns(path, status);
  if (owner !== null) return owner;
  const writers = status.mode & 0o022;
  if (writers === 0) return null;
  const bits = (status.mode & 0o777).toString(8).padStart(4, "0");
  return `${path} can be changed by other users (mode ${bits}): check what is there, then run chmod go-w ${path}.`;
}

/**
 * Returns a sentence for the operator when a user other than this process's and root owns the file or
 * directory, or null.
 */
export function whoElseOwns(path: string, { uid }: Pick<Stats, "uid">): string | null {
  if (uid === 0 || uid === process.geteuid?.()) return null;
  return `${path} belongs to user id ${uid}, who can change it: check what is there, then give it to the user of Berth with chown.`;
}
