import type { Sandbox } from "@berth/sandbox";
import { listedRecords } from "../sandbox-io/nul-records.ts";

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
/** A status of a program that was killed, as one is when there is no memory left. */
const KILLED = 128;
/** Besides the files that are wanted: one more, what a `find` that was killed left of one, and its status. */
const RECORDS_BESIDES = 3;

/**
 * Records `size modified changed inode path`, each ended by a NUL, after one with the present time. Links are not
 * followed, other file systems not entered, and only regular files are told. Where `find` failed, `- STATUS` comes last. Most turns
 * leave no output, and start one program for that, which has to have looked: one that was killed says nothing, too.
 */
export const LIST_SCRIPT = `any=$(find ${OUTPUTS} -mindepth 1 -print -quit 2>&1) && [ -z "$any" ] && exit 0
date +%s.%N | tr '\\n' '\\000'
{ find ${OUTPUTS} -xdev -type f -printf '%s %T@ %C@ %i %P\\0' 2>/dev/null || printf '\\0- %s\\0' $?; } | head -z -n "$MOST"`;

/** Lists the outputs with one command inside. Null: it could not be run to its end. */
export async function listOutputs(
  sandbox: Sandbox,
  most: number,
  signal: AbortSignal,
): Promise<OutputListing | null> {
  const { ended, exitCode, omittedBytes, output } = await sandbox.run({
    script: LIST_SCRIPT,
    cwd: "/",
    environment: { MOST: String(most + RECORDS_BESIDES), LC_ALL: "C" },
    timeoutMs: LISTING_MS,
    maxOutputBytes: (most + RECORDS_BESIDES + 1) * LONGEST_RECORD,
    signal,
  });
  if (ended !== "exit" || exitCode !== 0 || omittedBytes > 0) return null;
  return parseListing(Buffer.from(output), most);
}

/** Null: `find` was killed before its end. */
export function parseListing(bytes: Buffer, most: number): OutputListing | null {
  const { records: listed, more } = listedRecords(bytes, most + RECORDS_BESIDES + 1);
  const [clock, ...records] = listed;
  const status = Number(/^- (\d+)$/.exec(records.at(-1)?.toString("latin1") ?? "")?.[1] ?? 0);
  if (status > KILLED) return null;
  const now = Number(clock?.toString("latin1"));
  const files = records.map((record) => parse(record, now)).filter((file) => file !== null);
  return { outputs: files.slice(0, most), more: more || files.length > most, unreadable: status !== 0 };
}

function parse(record: Buffer, now: number): Output | null {
  const head = /^(\d{1,16}) (-?[\d.]+) (-?[\d.]+) (\d+) /.exec(record.toString("latin1"));
  if (head === null) return null;
  const [fields, size, , changed] = head;
  const recent = !(now - Number(changed) > GRAIN_SECONDS);
  return { path: record.subarray(fields.length), size: Number(size), stamp: fields.trim(), recent };
}
