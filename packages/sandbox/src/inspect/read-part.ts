import type { Sandbox } from "../interface/sandbox.ts";
import { shellPrograms } from "../scripts/read-script.ts";
import { type Inspected, type InspectOptions, inspect } from "./inspect-command.ts";

const SCRIPT = shellPrograms("inspect/path.sh", "inspect/read-part.sh");
/** Maximum length of a stamp, which is four numbers, and its NUL. */
const MAX_STAMP_BYTES = 128;

/** A part of a file. */
export interface FilePart {
  /** Size of the whole file in bytes. */
  size: number;
  /** A text that changes whenever the file does. */
  stamp: string;
  bytes: Buffer;
}

/**
 * Reads up to `count` bytes of a regular file at offset `from`; fewer at its end. Fails with `changed` when
 * the file changes meanwhile.
 */
export async function readPart(
  sandbox: Pick<Sandbox, "run">,
  path: string,
  { from, count, ...options }: InspectOptions & { from: number; count: number },
): Promise<Inspected<FilePart>> {
  const environment = { FILE: path, FROM: String(from), COUNT: String(count) };
  const result = await inspect(sandbox, SCRIPT, environment, count + 2 * MAX_STAMP_BYTES, options);
  if (!result.ok) return result;
  const part = parsePart(result.output, from, count);
  return part === null ? { ok: false, reason: "changed" } : { ok: true, ...part };
}

/** Parses the script's output. Returns null when the file changed meanwhile. */
export function parsePart(output: Buffer, from: number, count: number): FilePart | null {
  const end = output.indexOf(0);
  const stamp = output.subarray(0, Math.max(end, 0)).toString("latin1");
  const size = Number(/^(\d{1,15}) -?[\d.]+ -?[\d.]+ \d+$/.exec(stamp)?.[1] ?? Number.NaN);
  if (Number.isNaN(size)) return null;
  const bytes = output.subarray(end + 1, -(end + 1));
  const isSame = output.subarray(-(end + 1)).equals(output.subarray(0, end + 1));
  const expected = Math.max(0, Math.min(count, size - from));
  return isSame && bytes.length === expected ? { size, stamp, bytes } : null;
}
