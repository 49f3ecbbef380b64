import { CREDENTIAL_VARIABLE } from "../inside/credential-helper.ts";
import type { Command, CommandResult } from "../interface/command.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { cloneFailure } from "./clone-failure.ts";
import { createProgressReader } from "./clone-progress.ts";
import {
  CLEANUP_VARIABLES,
  CLONE_SCRIPT,
  clonedHead,
  cloneVariables,
  missingLfs,
  OVERWRITE_VARIABLES,
} from "./clone-script.ts";
import type { CloneProgress, CloneResult, RepositoryMount } from "./repository/repository.ts";

export interface CloneOptions {
  /** Variables of the session's commands; see `repositoryEnvironment`. */
  environment: Readonly<Record<string, string>>;
  onProgress?: (progress: CloneProgress) => void;
  signal?: AbortSignal;
  /** Milliseconds. Default: one hour. */
  timeoutMs?: number;
  /** Seconds below 20 bytes a second after which the clone fails. Default: five minutes. */
  stallSeconds?: number;
  /** Seconds for the files of Git LFS, which are left out when they take longer. Default: half an hour. */
  lfsSeconds?: number;
  /**
   * Whether to delete what is in the directory at the mount path. Default: keep a clone of the same URL, and
   * fail for anything else.
   */
  overwrite?: boolean;
}

const HOUR_MS = 3_600_000;

/**
 * Clones a repository with its whole history to its mount path, inside the sandbox. Returns git's failures,
 * with a message that contains no secret; rejects only when the engine fails. Clones may run concurrently.
 * Succeeds when a clone of the same URL is in place, so it can be called again after any interruption.
 */
export async function cloneRepository(
  sandbox: Pick<Sandbox, "run">,
  repository: RepositoryMount,
  {
    environment,
    onProgress,
    signal,
    timeoutMs = HOUR_MS,
    stallSeconds = 300,
    lfsSeconds = 1_800,
    overwrite = false,
  }: CloneOptions,
): Promise<CloneResult> {
  const startedAt = performance.now();
  onProgress?.({ phase: "waiting", percent: null });
  const variables = {
    ...cloneVariables(repository, { stallSeconds, lfsSeconds }),
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
  const seconds = (performance.now() - startedAt) / 1000;
  if (result.ended === "timeout") {
    await sandbox.run({
      script: CLONE_SCRIPT,
      cwd: "/",
      environment: { ...variables, ...CLEANUP_VARIABLES },
      timeoutMs: HOUR_MS,
    });
  }
  return resultOf(repository, result, { seconds, timeoutMs, secrets: secretsOf(environment) });
}

function resultOf(
  repository: RepositoryMount,
  result: CommandResult,
  { seconds, timeoutMs, secrets }: { seconds: number; timeoutMs: number; secrets: readonly string[] },
): CloneResult {
  if (result.ended === "aborted" || result.ended === "closed") return { ok: false, type: "stopped" };
  if (result.ended === "timeout") {
    const message = `${repository.url} could not be cloned to ${repository.mountPath}: it took longer than ${timeoutMs / 1000} s.`;
    return { ok: false, type: "repository_clone_error", message, transient: false, retryAfterMs: null };
  }
  const output = new TextDecoder().decode(result.output);
  const head = result.exitCode === 0 ? clonedHead(output) : null;
  if (head !== null) return { ok: true, ...head, seconds, missingLfs: missingLfs(output) };
  const failure = cloneFailure(repository, result.exitCode, output, secrets);
  return { ok: false, ...failure, retryAfterMs: retryAfterMs(output) };
}

/** Returns the secrets, also in the form in which git sends them: user name and secret in base64. */
function secretsOf(environment: Readonly<Record<string, string>>): string[] {
  const lines = environment[CREDENTIAL_VARIABLE]?.split("\n") ?? [];
  return Array.from({ length: Math.floor(lines.length / 3) }, (_, index) => {
    const [username = "", secret = ""] = lines.slice(index * 3 + 1);
    return [Buffer.from(`${username}:${secret}`).toString("base64"), secret];
  }).flat();
}

/**
 * Returns the milliseconds that a host asks to wait, by the `Retry-After` header that the clone script
 * printed: seconds or a date. Returns null when there is none, or when it is neither.
 */
export function retryAfterMs(output: string, now: number = Date.now()): number | null {
  const value = /^berth:retry-after ([\x20-\x7e]{1,40})$/m.exec(output)?.[1]?.trim();
  if (value === undefined) return null;
  if (/^[0-9]+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return /^[A-Z][a-z]+, /.test(value) && !Number.isNaN(date) ? Math.max(0, date - now) : null;
}
