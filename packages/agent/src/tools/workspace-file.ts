import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import type { Sandbox } from "@berth/sandbox";
import { z } from "zod";
import { runScript } from "./run-script.ts";
import type { ToolContext, ToolResult } from "./tool.ts";
import { failure } from "./tool.ts";

// Files of the workspace are read and written by commands in the sandbox: a path from a model is never resolved on the host.

/** The absolute path in the sandbox. Relative paths start at `/data`. */
export function workspacePath(path: string): string {
  return posix.resolve("/data", path);
}

/** A path in a tool's input. Without NUL, which cannot be in a variable. */
export const pathInput = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes("\0"), "A path has no NUL character.");

export type FileRead =
  | { type: "file"; size: number; bytes: Buffer; part: "whole" | "lines" | "head" }
  | { type: "failed"; result: ToolResult };

export interface ReadOptions {
  /** Bytes up to which the whole file is read. */
  whole: number;
  /** The lines to read of a larger file, from 1. Default: its first 512 bytes. */
  lines?: { first: number; count: number } | undefined;
}

const MAX_LINE_BYTES = 262_144;

export async function readFile(context: ToolContext, path: string, options: ReadOptions): Promise<FileRead> {
  const { whole, lines } = options;
  const outcome = await runScript(context, {
    script: READ_SCRIPT,
    variables: {
      FILE: path,
      WHOLE: String(whole),
      FIRST: String(lines?.first ?? ""),
      COUNT: String(lines?.count ?? ""),
      LINE_BYTES: String(MAX_LINE_BYTES + 1),
    },
    maxOutputBytes: Math.max(whole, MAX_LINE_BYTES) + 1_024,
  });
  if (outcome.type === "stopped") return { type: "failed", result: outcome.result };
  if (outcome.code !== 0)
    return { type: "failed", result: failure(fileErrorText(path, outcome.code, outcome.output)) };
  const end = outcome.output.indexOf("\n");
  const size = Number(outcome.output.subarray(0, end).toString());
  const bytes = outcome.output.subarray(end + 1);
  const part = size <= whole ? "whole" : lines === undefined ? "head" : "lines";
  return { type: "file", size, bytes, part };
}

const READ_SCRIPT = `
[ -d "$FILE" ] && exit 41
[ -e "$FILE" ] || exit 42
[ -f "$FILE" ] || exit 43
[ -r "$FILE" ] || exit 44
size=$(wc -c <"$FILE") || exit 45
printf '%d\\n' "$size"
if [ "$size" -le "$WHOLE" ]; then exec cat "$FILE"; fi
if [ -n "$FIRST" ]; then tail -n "+$FIRST" "$FILE" | head -n "$COUNT" | head -c "$LINE_BYTES"; exit 0; fi
exec head -c 512 "$FILE"
`;

/**
 * Writes a file atomically: the bytes go to a temporary file in the same directory, which then replaces it and keeps its mode.
 * Creates missing directories and follows a symbolic link. Returns whether the file is new, or a result with the error.
 */
export async function writeFile(
  context: ToolContext,
  path: string,
  bytes: Uint8Array,
): Promise<{ created: boolean } | { result: ToolResult }> {
  const outcome = await runScript(context, {
    script: WRITE_SCRIPT,
    variables: { FILE: path, TEMPORARY: `.write-${randomUUID()}` },
    stdin: bytes,
  });
  if (outcome.type === "stopped") return { result: outcome.result };
  if (outcome.code !== 0) return { result: failure(fileErrorText(path, outcome.code, outcome.output)) };
  return { created: outcome.output.toString().trim() === "created" };
}

const WRITE_SCRIPT = `
[ -d "$FILE" ] && exit 41
if [ -e "$FILE" ]; then
  [ -f "$FILE" ] || exit 43
  [ -w "$FILE" ] || exit 46
fi
mkdir -p "$(dirname "$FILE")" || exit 45
target=$(readlink -m "$FILE") || exit 45
temporary=$(dirname "$target")/$TEMPORARY
trap 'rm -f "$temporary"' EXIT
cat >"$temporary" || exit 45
word=created
if [ -e "$target" ]; then
  word=overwritten
  chmod --reference="$target" "$temporary" || exit 45
fi
mv -fT "$temporary" "$target" || exit 45
echo "$word"
`;

function fileErrorText(path: string, code: number, output: Buffer): string {
  switch (code) {
    case 41:
      return `${path} is a directory. List it with Glob, or with ls in Bash.`;
    case 42:
      return `${path} does not exist.`;
    case 43:
      return `${path} is not a regular file.`;
    case 44:
      return `${path} cannot be read: permission denied.`;
    case 46:
      return `${path} cannot be written: permission denied. Uploaded files are read-only.`;
    default:
      return `${path}: ${output.toString().trim() || `failed with exit code ${code}`}`;
  }
}

const LAST_CHANGES = new WeakMap<Sandbox, Promise<unknown>>();

/** Runs changes to files of one sandbox one at a time, so that two parallel edits of a file are both kept. */
export async function serializeChanges<T>(sandbox: Sandbox, change: () => Promise<T>): Promise<T> {
  const before = LAST_CHANGES.get(sandbox) ?? Promise.resolve();
  const done = before.then(change, change);
  LAST_CHANGES.set(sandbox, done);
  return await done;
}
