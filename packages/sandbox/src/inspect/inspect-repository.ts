import type { Sandbox } from "../interface/sandbox.ts";
import { shellPrograms } from "../scripts/read-script.ts";
import { type InspectFailure, type InspectOptions, inspect } from "./inspect-command.ts";
import { parseChanges, type RepositoryChanges } from "./parse-changes.ts";

/** A clone in a sandbox. */
export interface InspectedClone {
  path: string;
  /** The commit that was cloned; empty for a repository that had none. */
  base: string;
}

/** `no_clone`: there is none at the path, or its `.git` is not what a clone makes. `no_git`: the sandbox has no git. */
export type CloneFailure = InspectFailure | "no_clone" | "no_git" | "no_room" | "git_failed" | "base_missing";
export type InspectedRepository<Found> = ({ ok: true } & Found) | { ok: false; reason: CloneFailure };

const CHANGES = shellPrograms("inspect/path.sh", "inspect/repository.sh", "inspect/repository-changes.sh");
const DIFF = shellPrograms("inspect/path.sh", "inspect/repository.sh", "inspect/repository-diff.sh");

const MAX_UNTRACKED = 200_000;
/** An entry takes up to two paths of 4,096 bytes twice, but hardly ever does. */
const MAX_CHANGES_BYTES = 16 * 1024 * 1024;
/** By the exit codes of the scripts. */
const FAILURES: Readonly<Record<number, CloneFailure>> = {
  50: "no_clone",
  51: "no_git",
  52: "no_room",
  53: "git_failed",
  54: "base_missing",
};

/**
 * What a clone has that the commit did not have from which it was cloned: commits since, and files of the work tree, untracked ones
 * included. Of both at most so many are listed, and all are counted.
 *
 * git sees the clone's objects and references, and nothing that could have it run a program: no configuration, hooks or attributes of it.
 */
export async function repositoryChanges(
  sandbox: Pick<Sandbox, "run">,
  clone: InspectedClone,
  { commits, files, ...options }: InspectOptions & { commits: number; files: number },
): Promise<InspectedRepository<{ changes: RepositoryChanges }>> {
  const limits = { MOST_COMMITS: String(commits), MOST_FILES: String(files) };
  const environment = { ...variables(clone), ...limits };
  const result = await inspect(sandbox, CHANGES, environment, MAX_CHANGES_BYTES, options);
  if (!result.ok) return result;
  const reason = failureOf(result.exitCode);
  if (reason !== null) return { ok: false, reason };
  const changes = parseChanges(result.output, files);
  return changes === null ? { ok: false, reason: "failed" } : { ok: true, changes };
}

/**
 * The unified diff of one file of a clone, or of all, between the commit from which it was cloned and the work tree: at most `max` bytes.
 *
 * @param file relative to the clone; of a renamed one, its new path. Null: all files.
 */
export async function repositoryDiff(
  sandbox: Pick<Sandbox, "run">,
  clone: InspectedClone,
  { file, max, ...options }: InspectOptions & { file: string | null; max: number },
): Promise<InspectedRepository<{ diff: Buffer; cut: boolean }>> {
  const environment = { ...variables(clone), FILE: file ?? "", MOST: String(max + 1) };
  const result = await inspect(sandbox, DIFF, environment, max + 1, options);
  if (!result.ok) return result;
  const reason = failureOf(result.exitCode);
  if (reason !== null) return { ok: false, reason };
  const { output } = result;
  return { ok: true, diff: output.subarray(0, max), cut: output.length > max };
}

function variables({ path, base }: InspectedClone): Record<string, string> {
  return { REPOSITORY: path, BASE: base, MOST_UNTRACKED: String(MAX_UNTRACKED) };
}

function failureOf(exitCode: number): CloneFailure | null {
  return exitCode === 0 ? null : (FAILURES[exitCode] ?? "git_failed");
}
