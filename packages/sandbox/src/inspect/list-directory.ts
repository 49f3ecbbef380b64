import type { Sandbox } from "../interface/sandbox.ts";
import { shellPrograms } from "../scripts/read-script.ts";
import { isEntryName } from "./entry-name.ts";
import { type Inspected, type InspectOptions, inspect } from "./inspect-command.ts";

const SCRIPT = shellPrograms("inspect/path.sh", "inspect/list-directory.sh");

export type EntryType = "file" | "directory" | "symlink" | "fifo" | "socket" | "device" | "other";

/** An entry of a directory, as the sandbox reports it. */
export interface DirectoryEntry {
  /** Name in the bytes of the filesystem. */
  name: Buffer;
  type: EntryType;
  size: number;
  /** Permissions as four octal digits. */
  mode: string;
  /** Time of the last change, in milliseconds since 1970. */
  modified: number;
  /** Target of a symbolic link; empty for anything else. */
  target: Buffer;
}

const FIELDS = 6;
/** Bytes of a name, a link's target, and the numbers. */
const MAX_ENTRY_BYTES = 256 + 4_096 + 128;
const TYPES: Readonly<Record<string, EntryType>> = {
  f: "file",
  d: "directory",
  l: "symlink",
  p: "fifo",
  s: "socket",
  b: "device",
  c: "device",
};

/**
 * Lists at most `max` entries of a directory, ordered by the bytes of their names, after the name `after`.
 * Sorts the names of all entries, but examines only those that it returns.
 */
export async function listDirectory(
  sandbox: Pick<Sandbox, "run">,
  path: string,
  { after, max, ...options }: InspectOptions & { after: Buffer | null; max: number },
): Promise<Inspected<{ entries: DirectoryEntry[] }>> {
  const environment = {
    DIRECTORY: path,
    MOST: String(max),
    AFTER: after === null ? "" : regularExpression(after),
    AFTER_NAME: after === null ? "" : octal(after),
  };
  const result = await inspect(sandbox, SCRIPT, environment, (max + 1) * MAX_ENTRY_BYTES, options);
  if (!result.ok) return result;
  const entries = parseEntries(result.output);
  return entries === null ? { ok: false, reason: "failed" } : { ok: true, entries: entries.slice(0, max) };
}

/** Parses the script's output. Returns null when it was cut off or tampered with. */
export function parseEntries(output: Buffer): DirectoryEntry[] | null {
  const fields = fieldsOf(output);
  if (fields.pop()?.toString() !== "end" || fields.length % FIELDS !== 0) return null;
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at < fields.length; at += FIELDS) {
    const entry = parseEntry(fields.slice(at, at + FIELDS));
    if (entry === null) return null;
    entries.push(entry);
  }
  return entries;
}

function parseEntry([type, mode, size, modified, name, target]: readonly Buffer[]): DirectoryEntry | null {
  if (name === undefined || target === undefined || !isEntryName(name)) return null;
  if (!/^[0-7]{1,4}$/.test(`${mode}`) || !/^\d{1,15}$/.test(`${size}`)) return null;
  if (!/^-?\d{1,18}\.\d+$/.test(`${modified}`)) return null;
  return {
    name,
    type: TYPES[`${type}`] ?? "other",
    size: Number(`${size}`),
    mode: `${mode}`.padStart(4, "0"),
    modified: Math.floor(Number(`${modified}`) * 1_000),
    target,
  };
}

/** Splits bytes at NULs. */
export function fieldsOf(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  let from = 0;
  for (let to = bytes.indexOf(0); to >= 0; to = bytes.indexOf(0, from)) {
    fields.push(bytes.subarray(from, to));
    from = to + 1;
  }
  fields.push(bytes.subarray(from));
  return fields;
}

/** Returns a regular expression for sed that matches exactly these bytes. */
function regularExpression(bytes: Buffer): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    if (/[\w-]/.test(character)) return character;
    if (/[\\^]/.test(character)) return `\\${character}`;
    return /[!-~]/.test(character) ? `[${character}]` : `\\x${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}

function octal(bytes: Buffer): string {
  return Array.from(bytes, (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}
