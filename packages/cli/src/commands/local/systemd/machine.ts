import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { UsageError } from "../../../shared/failure.ts";

export const USER = "berth";
export const UNIT = "/etc/systemd/system/berth.service";
export const SETTINGS = "/etc/berth";
export const DATA = "/var/lib/berth";
export const CACHE = "/var/cache/berth";
/** Unit that the Debian package installs. */
const PACKAGED_UNIT = "/usr/lib/systemd/system/berth.service";

/** Requires that this user can manage the unit on this machine. @throws UsageError */
export function requireSystemd(command: string): void {
  if (process.getuid?.() !== 0) throw new UsageError(`berth ${command} --systemd must be run by root.`);
  if (statusOf("/run/systemd/system") === null)
    throw new UsageError(`berth ${command} --systemd needs systemd, which does not run on this machine.`);
  if (statusOf(PACKAGED_UNIT) !== null)
    throw new UsageError(
      "The Debian package berth has installed Berth on this machine: use apt to change that.",
    );
}

/** Returns the status of a path without following links, or null if it does not exist. */
export function statusOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Returns the text of a file, or null for none. @throws UsageError if it is not a regular file. */
export function fileAt(path: string): string | null {
  const status = statusOf(path);
  if (status === null) return null;
  if (!status.isFile()) throw new UsageError(`${path} is in the way: it is not a regular file.`);
  return readFileSync(path, "utf8");
}

/** Returns whether a directory exists. @throws UsageError if the path is not a directory. */
export function isDirectory(path: string): boolean {
  const status = statusOf(path);
  if (status !== null && !status.isDirectory())
    throw new UsageError(`${path} is in the way: it is not a directory.`);
  return status !== null;
}

/** Returns the id of the service's account, or null if it does not exist. */
export function userId(): number | null {
  const row = readFileSync("/etc/passwd", "utf8").match(new RegExp(`^${USER}:[^:]*:(\\d+):`, "m"));
  return row === null ? null : Number(row[1]);
}

/**
 * Requires that the data directory does not belong to another user, since systemd would change its owner.
 * @param root Whether the service runs as root. Default: false.
 * @throws UsageError
 */
export function requireOwnData(root = false): void {
  if (!isDirectory(DATA)) return;
  const { uid } = statSync(DATA);
  if (uid !== userId() && !(root && uid === 0))
    throw new UsageError(`${DATA} is in the way: it belongs to user id ${uid}, not to the user ${USER}.`);
}
