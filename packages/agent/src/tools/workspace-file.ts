import { createHash, randomUUID } from "node:crypto";
import { posix } from "node:path";
import type { Sandbox } from "@berth/sandbox";
import { z } from "zod";
import { runScript, toolScript } from "./run-script.ts";
import { failure, type ToolContext, type ToolResult } from "./tool.ts";

const READ_SCRIPT = toolScript("read-file");
const WRITE_SCRIPT = toolScript("write-file");

// Files of the workspace are read and written by commands in the sandbox: a path from a model is never
// resolved on the host.

/** Returns the absolute path in the sandbox. Relative paths start at `/data`. */
export function workspacePath(path: string): string {
  return posix.resolve("/data", path);
}

/** A path in a tool's input, without NUL, which cannot be in a variable. */
export const pathInput = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes("\0"), "A path has no NUL character.");

export type FileRead =
  | { type: "file"; size: number; bytes: Buffer; part: "whole" | "lines" | "head" }
  | { type: "failed"; result: ToolResult };

export interface ReadOptions {
  /** Maximum bytes of a file that is read whole. */
  whole: number;
  /** The lines to read of a larger file, from 1. Default: its first 512 bytes. */
  lines?: { first: number; count: number } | undefined;
}

const MAX_LINE_BYTES = 262_144;
/** Exit status of the script when the file's content is not the expected one. */
const CHANGED = 51;

/** SHA-256, by path, of what the model last read or wrote, for each open sandbox. */
const SEEN = new WeakMap<Sandbox, Map<string, string>>();

/** Returns the hashes, by path, of the files that the model knows in a sandbox. */
export function filesSeen(sandbox: Sandbox): Map<string, string> {
  const seen = SEEN.get(sandbox) ?? new Map<string, string>();
  SEEN.set(sandbox, seen);
  return seen;
}

export function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads a file with one command, or a part of a larger file with a second one. */
export async function readFile(context: ToolContext, path: string, options: ReadOptions): Promise<FileRead> {
  const { whole, lines } = options;
  const all = await runReadScript(context, path, { LIMIT: String(whole + 1) }, whole + 1);
  if ("type" in all) return all;
  if (all.output.length <= whole)
    return { type: "file", size: all.output.length, bytes: all.output, part: "whole" };
  const wanted = { FIRST: String(lines?.first ?? ""), COUNT: String(lines?.count ?? "") };
  const part = await runReadScript(context, path, wanted, MAX_LINE_BYTES);
  if ("type" in part) return part;
  const end = part.output.indexOf("\n");
  const size = Number(part.output.subarray(0, end).toString());
  const bytes = part.output.subarray(end + 1);
  return { type: "file", size, bytes, part: lines === undefined ? "head" : "lines" };
}

async function runReadScript(
  context: ToolContext,
  path: string,
  wanted: { LIMIT: string } | { FIRST: string; COUNT: string },
  maxBytes: number,
): Promise<{ output: Buffer } | Extract<FileRead, { type: "failed" }>> {
  const outcome = await runScript(context, {
    script: READ_SCRIPT,
    variables: {
      ...{ FILE: path, LIMIT: "", FIRST: "", COUNT: "", LINE_BYTES: String(MAX_LINE_BYTES + 1) },
      ...wanted,
    },
    maxOutputBytes: maxBytes + 1_024,
  });
  if (outcome.type === "stopped") return { type: "failed", result: outcome.result };
  const { code, output } = outcome;
  if (code !== 0) return { type: "failed", result: failure(fileErrorText(path, code, output)) };
  return { output };
}

/**
 * Writes a file atomically: the bytes go to a temporary file in the same directory, which then replaces it
 * and keeps its mode. A file with several hard links is written in place. Creates missing directories and
 * follows a symbolic link. Returns whether the file is new, or a result with the error.
 *
 * @param known SHA-256 of the expected content: a file with other content is not written, but the next
 * attempt may replace it. Default: any content may be replaced.
 */
export async function writeFile(
  context: ToolContext,
  path: string,
  bytes: Uint8Array,
  known?: string,
): Promise<{ created: boolean } | { result: ToolResult }> {
  const seen = filesSeen(await context.sandbox());
  const outcome = await runScript(context, {
    script: WRITE_SCRIPT,
    variables: { FILE: path, TEMPORARY: `.write-${randomUUID()}`, KNOWN: known ?? "" },
    stdin: bytes,
  });
  if (outcome.type === "stopped") return { result: outcome.result };
  if (outcome.code === CHANGED) seen.delete(path);
  if (outcome.code === 0) seen.set(path, digest(bytes));
  if (outcome.code !== 0) return { result: failure(fileErrorText(path, outcome.code, outcome.output)) };
  return { created: outcome.output.toString().trim() === "created" };
}

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
      return `${path} is read-only by its mode. If it is to change, make it writable with chmod in Bash first.`;
    case 47:
      return `${path} cannot be written: it belongs to another user or is mounted read-only, as uploaded files are.`;
    case 48:
      return `${path} cannot be written: no file can be made in the directory ${output}.`;
    case 49:
      return `${path} cannot be written: ${output} is a file, not a directory.`;
    case 50:
      return `${path} is a symbolic link that leads in a circle.`;
    case 51:
      return `${path} has changed since you read it, and was not written. Read it again, or write it once more to replace what it holds now.`;
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
