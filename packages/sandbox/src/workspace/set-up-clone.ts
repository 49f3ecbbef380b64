import type { CommandResult } from "../interface/command.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import type { RepositoryMount } from "./repository/repository.ts";

const TIMEOUT_MS = 15 * 60_000;
const MAX_OUTPUT_BYTES = 16_384;
const RUN = shellScript("workspace/set-up.sh");
const EMPTY = `chmod -R u+rwX -- "$BERTH_CLONE_TARGET"
find "$BERTH_CLONE_TARGET" -mindepth 1 -maxdepth 1 -exec rm -rf -- {} +`;

/** The reason why a setup script failed. */
export interface SetupFailure {
  /** The reason, as a clause. */
  why: string;
  /** The end of the script's output. */
  output: string;
  /** Set when it took too long. */
  timedOut?: true;
}

/**
 * Runs a setup script in a clone, with its URL in BERTH_REPOSITORY. It runs with the interpreter that its
 * first line names, otherwise with `/bin/sh -e`. After 15 minutes the script and everything that it started
 * are killed.
 *
 * @returns null on success; `stopped` when the sandbox ended.
 */
export async function setUpClone(
  sandbox: Pick<Sandbox, "run">,
  { url, mountPath }: Pick<RepositoryMount, "url" | "mountPath">,
  { script, environment }: { script: string; environment: Readonly<Record<string, string>> },
): Promise<SetupFailure | "stopped" | null> {
  const result = await sandbox.run({
    script: RUN,
    stdin: new TextEncoder().encode(script),
    cwd: "/",
    environment: { ...environment, BERTH_REPOSITORY: url, BERTH_SETUP_TARGET: mountPath },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (result.ended === "aborted" || result.ended === "closed") return "stopped";
  if (result.exitCode === 0) return null;
  const output = new TextDecoder().decode(result.output).trim();
  return { why: whyFailed(result), output, ...(result.exitCode === null && { timedOut: true }) };
}

function whyFailed({ exitCode, limit }: CommandResult): string {
  if (exitCode === null) return `it took longer than ${TIMEOUT_MS / 60_000} minutes`;
  if (limit === "disk") return "it filled the disk";
  if (limit === "memory") return "it needed more memory than its sandbox has";
  return `it ended with exit code ${exitCode}`;
}

/**
 * Deletes all files of a clone, so that it can be cloned again. Makes directories writable first, since a
 * script may have left read-only ones.
 *
 * @returns whether no file is left; `stopped` when the sandbox ended.
 */
export async function emptyClone(
  sandbox: Pick<Sandbox, "run">,
  { mountPath }: Pick<RepositoryMount, "mountPath">,
): Promise<boolean | "stopped"> {
  const { exitCode, ended } = await sandbox.run({
    script: EMPTY,
    cwd: "/",
    environment: { BERTH_CLONE_TARGET: mountPath },
    timeoutMs: TIMEOUT_MS,
  });
  return ended === "aborted" || ended === "closed" ? "stopped" : exitCode === 0;
}
