import { statSync } from "node:fs";

/**
 * What is wrong with a file or directory that nobody but this process's user and root may change: a sentence for the operator,
 * or null. Bits of access control lists show in the group's.
 */
export function whoElseChanges(path: string): string | null {
  const { uid, mode } = statSync(path);
  if (uid !== 0 && uid !== process.geteuid?.())
    return `${path} belongs to user id ${uid}, who can change it: check what is there, then give it to the user of Berth with chown.`;
  const writers = mode & 0o022;
  if (writers === 0) return null;
  const bits = (mode & 0o777).toString(8).padStart(4, "0");
  return `${path} can be changed by other users (mode ${bits}): check what is there, then run chmod go-w ${path}.`;
}
