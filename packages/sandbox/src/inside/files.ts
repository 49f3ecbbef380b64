import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";

/**
 * Why a file of a sandbox could not be read or written. `gone` when the sandbox ended, or the command was
 * stopped.
 */
export type FileFailure = "not_found" | "is_directory" | "not_a_file" | "too_large" | "permission" | "gone";

export type ReadResult = { ok: true; bytes: Uint8Array } | { ok: false; reason: FileFailure };
export type WriteResult = { ok: true } | { ok: false; reason: FileFailure };

export interface FileOptions {
  /** Default: 30 seconds. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Failures by the exit codes of the scripts. */
const FAILURES: Readonly<Record<number, FileFailure>> = {
  41: "not_found",
  42: "is_directory",
  43: "not_a_file",
  44: "permission",
};
const READ = shellScript("files/read-file.sh");
const WRITE = shellScript("files/write-file.sh");
const DEFAULT_TIMEOUT_MS = 30_000;

/** Returns the bytes of a file. A file of more than `maxBytes` is `too_large`, never cut off. */
export async function readFile(
  sandbox: Sandbox,
  path: string,
  options: FileOptions & { maxBytes: number },
): Promise<ReadResult> {
  const result = await sandbox.run({
    script: READ,
    environment: { FILE: path, MOST: String(options.maxBytes + 1) },
    maxOutputBytes: options.maxBytes + 1,
    ...common(options),
  });
  const reason = failure(result.ended, result.exitCode);
  if (reason) return { ok: false, reason };
  if (result.output.length > options.maxBytes || result.omittedBytes > 0)
    return { ok: false, reason: "too_large" };
  return { ok: true, bytes: result.output };
}

/**
 * Replaces the content of a file. Creates it and its directories when missing, follows links, and keeps the
 * mode.
 */
export async function writeFile(
  sandbox: Sandbox,
  path: string,
  bytes: Uint8Array,
  options: FileOptions = {},
): Promise<WriteResult> {
  const result = await sandbox.run({
    script: WRITE,
    environment: { FILE: path },
    stdin: bytes,
    ...common(options),
  });
  const reason = failure(result.ended, result.exitCode);
  return reason ? { ok: false, reason } : { ok: true };
}

function common(options: FileOptions) {
  return {
    cwd: "/",
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(options.signal ? { signal: options.signal } : {}),
  };
}

function failure(ended: string, exitCode: number | null): FileFailure | null {
  if (ended !== "exit") return "gone";
  return exitCode === 0 ? null : (FAILURES[exitCode ?? -1] ?? "permission");
}
