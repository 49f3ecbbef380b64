import { isPathBelow, type Sandbox } from "@berth/sandbox";
import {
  type ListedFile,
  listedRecords,
  MAX_RECORD_BYTES,
  parseFileRecord,
} from "../sandbox-io/nul-records.ts";

export interface Listing {
  /** Regular files. Their paths are relative to the mount and begin with a slash. */
  entries: ListedFile[];
  /** Whether every file was listed, so that a missing one does not exist. */
  complete: boolean;
}

const LISTING_MS = 30_000;
/** Seconds within which two changes of a file may have the same stamp. */
const GRAIN_SECONDS = 0.05;

/**
 * Prints records terminated by a NUL: the present time, then `size modified changed inode path` for each
 * file, then an empty one.
 */
const SCRIPT = `printf '%s\\0' "$(date +%s.%N)"
find "$ROOT" -xdev -mindepth 1 -type f -printf '%s %T@ %C@ %i /%P\\0' 2>/dev/null && printf '\\0'`;

/**
 * Lists at most `max` regular files of a mount with one command in the sandbox. Links are not followed.
 *
 * @returns null when the command did not exit.
 */
export async function listFiles(
  sandbox: Sandbox,
  root: string,
  max: number,
  signal: AbortSignal,
): Promise<Listing | null> {
  const { ended, omittedBytes, output } = await sandbox.run({
    script: SCRIPT,
    cwd: "/",
    environment: { ROOT: root, LC_ALL: "C" },
    timeoutMs: LISTING_MS,
    maxOutputBytes: max * MAX_RECORD_BYTES,
    signal,
  });
  if (ended !== "exit") return null;
  // The output was cut in the middle, so the ends of records are unknown.
  if (omittedBytes > 0) return { entries: [], complete: false };
  return parseListing(Buffer.from(output), max);
}

/** Parses at most `max` files from the output of the script. */
export function parseListing(bytes: Buffer, max: number): Listing {
  // Besides the files there are the time, one file beyond the limit, and the empty record.
  const { records: listed, more } = listedRecords(bytes, max + 3);
  const [clock, ...records] = listed;
  const now = Number(clock?.toString("latin1"));
  const complete = !more && records.at(-1)?.length === 0;
  const entries = records.map((record) => parse(record, now)).filter((entry) => entry !== null);
  return { entries: entries.slice(0, max), complete: complete && entries.length <= max };
}

function parse(record: Buffer, now: number): ListedFile | null {
  if (record.length > MAX_RECORD_BYTES) return null;
  const file = parseFileRecord(record, now, GRAIN_SECONDS);
  return file?.path.at(0) === SLASH && isPathBelow(file.path.subarray(1)) ? file : null;
}

const SLASH = 0x2f;
