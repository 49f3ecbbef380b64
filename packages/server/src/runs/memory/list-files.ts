import type { Sandbox } from "@berth/sandbox";
import { listedRecords } from "../sandbox-io/nul-records.ts";

/** A regular file below a mount. All of this comes from inside and is believed only as far as it harms nobody. */
export interface MountedEntry {
  /** Below the mount, in the bytes of the file system, beginning with a slash. */
  path: Buffer;
  size: number;
  /** Changes whenever the file does. */
  stamp: string;
  /** It was changed so recently that another change could leave the stamp as it is. */
  recent: boolean;
}

export interface Listing {
  entries: MountedEntry[];
  /** All that is there was listed: what is missing is not there. */
  complete: boolean;
}

const LISTING_MS = 30_000;
const LONGEST_RECORD = 4_096 + 160;
/** Two changes of a file within this time may have one stamp. */
const GRAIN_SECONDS = 0.05;

/** Records of `size modified changed inode path`, each ended by a NUL, after one with the present time, and an empty one at the end. */
const SCRIPT = `printf '%s\\0' "$(date +%s.%N)"
find "$ROOT" -xdev -mindepth 1 -type f -printf '%s %T@ %C@ %i /%P\\0' 2>/dev/null && printf '\\0'`;

/**
 * Lists the regular files of a mount with one command inside; links are not followed.
 *
 * @param most files are listed at most.
 * @returns null when the command could not be run to its end.
 */
export async function listFiles(
  sandbox: Sandbox,
  root: string,
  most: number,
  signal: AbortSignal,
): Promise<Listing | null> {
  const { ended, omittedBytes, output } = await sandbox.run({
    script: SCRIPT,
    cwd: "/",
    environment: { ROOT: root, LC_ALL: "C" },
    timeoutMs: LISTING_MS,
    maxOutputBytes: most * LONGEST_RECORD,
    signal,
  });
  if (ended !== "exit") return null;
  // What was cut out of the middle took the border of two records with it.
  if (omittedBytes > 0) return { entries: [], complete: false };
  return parseListing(Buffer.from(output), most);
}

export function parseListing(bytes: Buffer, most: number): Listing {
  // Besides the files: the time, one file beyond the limit, and the empty one.
  const { records: listed, more } = listedRecords(bytes, most + 3);
  const [clock, ...records] = listed;
  const now = Number(clock?.toString("latin1"));
  const complete = !more && records.at(-1)?.length === 0;
  const entries = records.map((record) => parse(record, now)).filter((entry) => entry !== null);
  return { entries: entries.slice(0, most), complete: complete && entries.length <= most };
}

function parse(record: Buffer, now: number): MountedEntry | null {
  if (record.length > LONGEST_RECORD) return null;
  const head = /^(\d{1,15}) (-?[\d.]+) (-?[\d.]+) (\d+) (?=\/)/.exec(record.toString("latin1"));
  if (head === null) return null;
  const [fields, size, , changed] = head;
  const recent = !(now - Number(changed) > GRAIN_SECONDS);
  return { path: record.subarray(fields.length), size: Number(size), stamp: fields.trim(), recent };
}
