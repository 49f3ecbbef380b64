import type { Sandbox } from "@berth/sandbox";
import { listedRecords } from "../listed-records.ts";

/** Where the agent puts what is to be kept. */
export const OUTPUTS = "/mnt/session/outputs";

/** A regular file below the outputs. All of this comes from inside and is believed only as far as it harms nobody. */
export interface Output {
  /** Below the outputs, in the bytes of the file system. */
  path: Buffer;
  size: number;
  /** Changes whenever the file does. */
  stamp: string;
  /** It was changed so recently that another change could leave the stamp as it is. */
  recent: boolean;
}

export interface OutputListing {
  /** So many as the limit allows, in no order. */
  outputs: Output[];
  /** There are more. */
  more: boolean;
  /** A directory could not be read. */
  unreadable: boolean;
}

const LISTING_MS = 30_000;
const LONGEST_RECORD = 4_096 + 160;
/** Two changes of a file within this time may have one stamp. */
const GRAIN_SECONDS = 1;
const CLOSED = "-";

/**
 * Records `size modified changed inode path`, each ended by a NUL, after one with the present time. Links are not
 * followed, other file systems not entered, and only regular files are told. Most turns leave no output, and start one program
 * for that.
 */
export const LIST_SCRIPT = `[ -n "$(find ${OUTPUTS} -mindepth 1 -print -quit 2>&1)" ] || exit 0
date +%s.%N | tr '\\n' '\\000'
{ find ${OUTPUTS} -xdev -type f -printf '%s %T@ %C@ %i %P\\0' 2>/dev/null || printf '${CLOSED}\\0'; } | head -z -n "$MOST"`;

/** Lists the outputs with one command inside. Null: the command could not be run to its end. */
export async function listOutputs(
  sandbox: Sandbox,
  most: number,
  signal: AbortSignal,
): Promise<OutputListing | null> {
  const { ended, exitCode, omittedBytes, output } = await sandbox.run({
    script: LIST_SCRIPT,
    cwd: "/",
    environment: { MOST: String(most + 1), LC_ALL: "C" },
    timeoutMs: LISTING_MS,
    maxOutputBytes: (most + 2) * LONGEST_RECORD,
    signal,
  });
  if (ended !== "exit" || exitCode !== 0 || omittedBytes > 0) return null;
  return parseListing(Buffer.from(output), most);
}

export function parseListing(bytes: Buffer, most: number): OutputListing {
  // Besides the files: the time, one file beyond the limit, and that a directory is closed.
  const { records: listed, more } = listedRecords(bytes, most + 3);
  const [clock, ...records] = listed;
  const now = Number(clock?.toString("latin1"));
  const files = records.map((record) => parse(record, now)).filter((file) => file !== null);
  return {
    outputs: files.slice(0, most),
    more: more || files.length > most,
    unreadable: records.some((record) => record.toString("latin1") === CLOSED),
  };
}

function parse(record: Buffer, now: number): Output | null {
  const head = /^(\d{1,16}) (-?[\d.]+) (-?[\d.]+) (\d+) /.exec(record.toString("latin1"));
  if (head === null) return null;
  const [fields, size, , changed] = head;
  const recent = !(now - Number(changed) > GRAIN_SECONDS);
  return { path: record.subarray(fields.length), size: Number(size), stamp: fields.trim(), recent };
}
