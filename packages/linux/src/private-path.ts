import { type Stats, statSync } from "node:fs";

/**
 * What is wrong with a file or directory that nobody but this process's user and root may change: a sentence for the operator,
 * or null. Bits of access control lists show in the group's.
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

/** A sentence for the operator if another user than this process's and root owns the file or directory; otherwise null. */
export function whoElseOwns(path: string, { uid }: Pick<Stats, "uid">): string | null {
  if (uid === 0 || uid === process.geteuid?.()) return null;
  return `${path} belongs to user id ${uid}, who can change it: check what is there, then give it to the user of Berth with chown.`;
}
