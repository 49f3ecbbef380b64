import { isPathBelow, type Sandbox } from "@berth/sandbox";
import {
  type ListedFile,
  listedRecords,
  MAX_RECORD_BYTES,
  parseFileRecord,
} from "../sandbox-io/nul-records.ts";

/** The directory whose files are saved for the user. */
export const OUTPUTS = "/mnt/session/outputs";

export interface OutputListing {
  /** Regular files, in no order, up to the limit. Their paths are relative to the outputs. */
  outputs: ListedFile[];
  /** Whether there are more files. */
  more: boolean;
  /** Whether a directory could not be read. */
  unreadable: boolean;
}

const LISTING_MS = 30_000;
/** Seconds within which two changes of a file may have the same stamp. */
const GRAIN_SECONDS = 1;
/** Exit statuses above it are those of killed programs, for example when there is no memory left. */
const KILLED = 128;
/** Records besides the wanted files: one more file, a record that a killed `find` cut, and its status. */
const EXTRA_RECORDS = 3;

/**
 * Prints records terminated by a NUL: the present time, then `size modified changed inode path` for each
 * regular file, then `- STATUS` if `find` failed. Links are not followed, and other filesystems are not
 * entered. Most turns leave no output, which the first `find` alone detects. Its status is checked, since a
 * killed one prints nothing either.
 */
export const LIST_SCRIPT = `any=$(find ${OUTPUTS} -mindepth 1 -print -quit 2>&1) && [ -z "$any" ] && exit 0
date +%s.%N | tr '\\n' '\\000'
{ find ${OUTPUTS} -xdev -type f -printf '%s %T@ %C@ %i %P\\0' 2>/dev/null || printf '\\0- %s\\0' $?; } | head -z -n "$MOST"`;

/** Lists at most `max` outputs with one command in the sandbox. Returns null when the command did not end. */
export async function listOutputs(
  sandbox: Sandbox,
  max: number,
  signal: AbortSignal,
): Promise<OutputListing | null> {
  const { ended, exitCode, omittedBytes, output } = await sandbox.run({
    script: LIST_SCRIPT,
    cwd: "/",
    environment: { MOST: String(max + EXTRA_RECORDS), LC_ALL: "C" },
    timeoutMs: LISTING_MS,
    maxOutputBytes: (max + EXTRA_RECORDS + 1) * MAX_RECORD_BYTES,
    signal,
  });
  if (ended !== "exit" || exitCode !== 0 || omittedBytes > 0) return null;
  return parseListing(Buffer.from(output), max);
}

/** Parses a listing. Returns null when `find` was killed. */
export function parseListing(bytes: Buffer, max: number): OutputListing | null {
  const { records: listed, more } = listedRecords(bytes, max + EXTRA_RECORDS + 1);
  const [clock, ...records] = listed;
  const status = Number(/^- (\d+)$/.exec(records.at(-1)?.toString("latin1") ?? "")?.[1] ?? 0);
  if (status > KILLED) return null;
  const now = Number(clock?.toString("latin1"));
  const files = records
    .map((record) => parseFileRecord(record, now, GRAIN_SECONDS))
    .filter((file) => file !== null)
    .filter(({ path }) => isPathBelow(path));
  return { outputs: files.slice(0, max), more: more || files.length > max, unreadable: status !== 0 };
}
