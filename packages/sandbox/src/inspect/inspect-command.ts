import type { CommandResult } from "../interface/command.ts";
import type { Sandbox } from "../interface/sandbox.ts";

/**
 * Why something of a sandbox could not be looked at. `link`: it, or a directory above it, is a symbolic link. `changed`: it was changed
 * meanwhile. `slow`: it took longer than allowed. `full`: no process could be started for it, or no memory was left. `gone`: the sandbox
 * ended. `failed`: anything else, such as output that was tampered with.
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

/** By the exit codes of the scripts. */
const FAILURES: Readonly<Record<number, InspectFailure>> = {
  41: "not_found",
  42: "is_directory",
  43: "not_a_file",
  44: "permission",
  45: "link",
  46: "not_a_directory",
};

/**
 * Runs a script that looks at files, beside whatever else runs. Its output is as trustworthy as the sandbox: whoever parses it uses it only
 * where a false value harms nobody.
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
