import { lstatSync, readFileSync, type Stats, statSync } from "node:fs";
import { UsageError } from "../../../shared/failure.ts";

export const USER = "berth";
export const UNIT = "/etc/systemd/system/berth.service";
export const SETTINGS = "/etc/berth";
export const DATA = "/var/lib/berth";
export const CACHE = "/var/cache/berth";
/** What the Debian package installs. */
const PACKAGED_UNIT = "/usr/lib/systemd/system/berth.service";

/** @throws UsageError where the unit cannot be managed. */
export function requireSystemd(command: string): void {
  if (process.getuid?.() !== 0) throw new UsageError(`berth ${command} --systemd must be run by root.`);
  if (statusOf("/run/systemd/system") === null)
    throw new UsageError(`berth ${command} --systemd needs systemd, which does not run on this machine.`);
  if (statusOf(PACKAGED_UNIT) !== null)
    throw new UsageError(
      "The Debian package berth has installed Berth on this machine: use apt to change that.",
    );
}

/** Without following a link; null if there is nothing. */
export function statusOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** The text of a file; null if there is none. @throws UsageError if something else is in its place. */
export function fileAt(path: string): string | null {
  const status = statusOf(path);
  if (status === null) return null;
  if (!status.isFile()) throw new UsageError(`${path} is in the way: it is not a regular file.`);
  return readFileSync(path, "utf8");
}

/** Whether there is a directory. @throws UsageError if something else is in its place. */
export function isDirectory(path: string): boolean {
  const status = statusOf(path);
  if (status !== null && !status.isDirectory())
    throw new UsageError(`${path} is in the way: it is not a directory.`);
  return status !== null;
}

/** The id of the account of the service; null if there is none. */
export function userId(): number | null {
  const row = readFileSync("/etc/passwd", "utf8").match(new RegExp(`^${USER}:[^:]*:(\\d+):`, "m"));
  return row === null ? null : Number(row[1]);
}

/** @throws UsageError if the data directory is another user's, whom systemd would take it from. @param root the service is root's. */
export function requireOwnData(root = false): void {
  if (!isDirectory(DATA)) return;
  const { uid } = statSync(DATA);
  if (uid !== userId() && !(root && uid === 0))
    throw new UsageError(`${DATA} is in the way: it belongs to user id ${uid}, not to the user ${USER}.`);
}
