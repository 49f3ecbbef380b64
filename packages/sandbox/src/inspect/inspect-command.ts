import type { CommandResult } from "../interface/command.ts";
import type { Sandbox } from "../interface/sandbox.ts";

/**
 * Why a file or directory of a sandbox could not be inspected. `link`: it, or a directory above it, is a
 * symbolic link. `changed`: it changed meanwhile. `slow`: it took longer than allowed, or the signal aborted.
 * `full`: no process could start for it, or no memory was left. `gone`: the sandbox ended. `failed`: anything
 * else, such as output that was tampered with.
 */
export type InspectFailure =
  | "not_found"
  | "is_directory"
  | "not_a_directory"
  | "not_a_file"
  | "permission"
  | "link"
  | "changed"
  | "slow"
  | "full"
  | "gone"
  | "failed";

export type Inspected<Found> = ({ ok: true } & Found) | { ok: false; reason: InspectFailure };

export interface InspectOptions {
  timeoutMs: number;
  signal?: AbortSignal;
}

type Looker = Pick<Sandbox, "run">;

/** Failures by the exit codes of the scripts. */
const FAILURES: Readonly<Record<number, InspectFailure>> = {
  41: "not_found",
  42: "is_directory",
  43: "not_a_file",
  44: "permission",
  45: "link",
  46: "not_a_directory",
};

/**
 * Runs a script that inspects files, concurrently with other commands. Its output is as untrusted as the
 * sandbox: a caller may use it only where a false value does no harm.
 */
export async function inspect(
  sandbox: Looker,
  script: string,
  environment: Readonly<Record<string, string>>,
  maxOutputBytes: number,
  { timeoutMs, signal }: InspectOptions,
): Promise<Inspected<{ output: Buffer; exitCode: number }>> {
  const stop = signal === undefined ? {} : { signal };
  const result = await sandbox.run({ script, environment, maxOutputBytes, cwd: "/", timeoutMs, ...stop });
  const reason = failureOf(result);
  if (reason !== null) return { ok: false, reason };
  return { ok: true, output: Buffer.from(result.output), exitCode: result.exitCode ?? 0 };
}

function failureOf({ ended, exitCode, limit, omittedBytes }: CommandResult): InspectFailure | null {
  if (ended === "timeout" || ended === "aborted") return "slow";
  if (ended === "closed") return "gone";
  if (limit === "memory" || limit === "processes") return "full";
  if (exitCode !== null && FAILURES[exitCode] !== undefined) return FAILURES[exitCode];
  return omittedBytes > 0 ? "failed" : null;
}
