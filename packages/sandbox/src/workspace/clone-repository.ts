import type { Command, CommandResult } from "../interface/command.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { cloneFailure } from "./clone-failure.ts";
import { createProgressReader } from "./clone-progress.ts";
import {
  CLEANUP_VARIABLES,
  CLONE_SCRIPT,
  clonedHead,
  cloneVariables,
  OVERWRITE_VARIABLES,
} from "./clone-script.ts";
import type { CloneProgress, CloneResult, RepositoryMount } from "./repository/repository.ts";

export interface CloneOptions {
  /** The variables of the session's commands; see `repositoryEnvironment`. */
  environment: Readonly<Record<string, string>>;
  onProgress?: (progress: CloneProgress) => void;
  signal?: AbortSignal;
  /** Milliseconds; default one hour. */
  timeoutMs?: number;
  /** A host that sends less than 20 bytes a second for so many seconds is given up; default five minutes. */
  stallSeconds?: number;
  /** What is in the directory at the mount path is a remainder, and goes. Default: a clone of the same url there is kept. */
  overwrite?: boolean;
}

const hour = 3_600_000;

/**
 * Clones a repository in full to its mount path, inside the sandbox. Failures of git are values, with a message that holds
 * no secret; it rejects only when the engine does. Several may run at once. A clone of the same url that is in place
 * already is a success, so that it can be called again after any interruption.
 */
export async function cloneRepository(
  sandbox: Pick<Sandbox, "run">,
  repository: RepositoryMount,
  { environment, onProgress, signal, timeoutMs = hour, stallSeconds = 300, overwrite = false }: CloneOptions,
): Promise<CloneResult> {
  const begun = performance.now();
  onProgress?.({ phase: "waiting", percent: null });
  const variables = {
    ...cloneVariables(repository, stallSeconds),
    ...(overwrite ? OVERWRITE_VARIABLES : {}),
  };
  const command: Command = {
    script: CLONE_SCRIPT,
    cwd: "/",
    environment: { ...environment, ...variables },
    timeoutMs,
    ...(onProgress === undefined ? {} : { onOutput: createProgressReader(onProgress) }),
    ...(signal === undefined ? {} : { signal }),
  };
  const result = await sandbox.run(command);
  const seconds = (performance.now() - begun) / 1000;
  if (result.ended === "timeout") {
    await sandbox.run({
      script: CLONE_SCRIPT,
      cwd: "/",
      environment: { ...variables, ...CLEANUP_VARIABLES },
      timeoutMs: hour,
    });
  }
  return resultOf(repository, result, seconds, timeoutMs);
}

function resultOf(
  repository: RepositoryMount,
  result: CommandResult,
  seconds: number,
  timeoutMs: number,
): CloneResult {
  if (result.ended === "aborted" || result.ended === "closed") return { ok: false, type: "stopped" };
  if (result.ended === "timeout") {
    const message = `${repository.url} could not be cloned to ${repository.mountPath}: it took longer than ${timeoutMs / 1000} s.`;
    return { ok: false, type: "repository_clone_error", message };
  }
  const output = new TextDecoder().decode(result.output);
  const head = result.exitCode === 0 ? clonedHead(output) : null;
  if (head !== null) return { ok: true, ...head, seconds };
  return { ok: false, ...cloneFailure(repository, result.exitCode, output) };
}
