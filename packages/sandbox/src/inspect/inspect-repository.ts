import type { Sandbox } from "../interface/sandbox.ts";
import { perlText, shellPrograms } from "../scripts/read-script.ts";
import { type InspectFailure, type InspectOptions, inspect } from "./inspect-command.ts";
import { fieldsOf } from "./list-directory.ts";
import { parseChanges, type RepositoryChanges } from "./parse-changes.ts";

/** A clone in a sandbox. */
export interface InspectedClone {
  path: string;
  /** The commit that was cloned; empty for a repository that had no commit. */
  base: string;
}

/**
 * `no_clone` when there is no clone at the path, or its `.git` is not one that a clone makes. `no_git` when
 * the sandbox has no git.
 */
export type CloneFailure = InspectFailure | "no_clone" | "no_git" | "no_room" | "git_failed" | "base_missing";
export type InspectedRepository<Found> = ({ ok: true } & Found) | { ok: false; reason: CloneFailure };

const CHANGES = shellPrograms("inspect/path.sh", "inspect/repository.sh", "inspect/repository-changes.sh");
const DIFF = shellPrograms("inspect/path.sh", "inspect/repository.sh", "inspect/repository-diff.sh");
const LARGE_FILES = perlText("inspect/large-files.pl");

const MAX_UNTRACKED = 200_000;
const MEBIBYTE = 1024 * 1024;
/** Bytes that git reads in about a second. A sparse file costs as much time as a full one. */
const MAX_COMPARED_BYTES = 256 * MEBIBYTE;
/** Maximum number of changed files that are named as too large to compare. */
const MAX_LARGE_FILES = 100;
const MAX_PATH_BYTES = 4_096;
/** An entry may contain up to two paths of 4,096 bytes twice, but hardly ever does. */
const MAX_CHANGES_BYTES = 16 * MEBIBYTE;
/** Failures by the exit codes of the scripts. */
const FAILURES: Readonly<Record<number, CloneFailure>> = {
  50: "no_clone",
  51: "no_git",
  52: "no_room",
  53: "git_failed",
  54: "base_missing",
};

/**
 * Returns the changes of a clone since the commit that was cloned: later commits, and files of the work tree,
 * including untracked ones. At most `commits` and `files` of them are listed, but all are counted; and the last
 * pushes to at most `pushes` branches.
 *
 * A file of more than `maxFile` bytes is not compared: it counts as binary, and as changed when its time or
 * size changed. The same applies to the largest files when there are very many.
 *
 * git reads the clone's objects and references. It does not read the clone's configuration, hooks or
 * attributes, which could make it run a program.
 */
export async function repositoryChanges(
  sandbox: Pick<Sandbox, "run">,
  clone: InspectedClone,
  {
    commits,
    files,
    pushes,
    maxFile,
    ...options
  }: InspectOptions & { commits: number; files: number; pushes: number; maxFile: number },
): Promise<InspectedRepository<{ changes: RepositoryChanges }>> {
  const limits = {
    ...{ MOST_COMMITS: String(commits), MOST_FILES: String(files), MOST_PUSHES: String(pushes) },
  };
  const environment = { ...variables(clone, maxFile), ...limits };
  const result = await inspect(sandbox, CHANGES, environment, MAX_CHANGES_BYTES, options);
  if (!result.ok) return result;
  const reason = failureOf(result.exitCode);
  if (reason !== null) return { ok: false, reason };
  const changes = parseChanges(result.output, files);
  return changes === null ? { ok: false, reason: "failed" } : { ok: true, changes };
}

export interface FoundDiff {
  diff: Buffer;
  /** Whether the diff was cut off at `max` bytes. */
  cut: boolean;
  /** Paths of changed files that were too large to compare, at most 100. */
  large: Buffer[];
}

/**
 * Returns the unified diff between the commit that was cloned and the work tree, for one file or all, of at
 * most `max` bytes. Files that `repositoryChanges` does not compare are shown as binary.
 *
 * @param file Path relative to the clone; for a renamed file, its new path. Null for all files.
 */
export async function repositoryDiff(
  sandbox: Pick<Sandbox, "run">,
  clone: InspectedClone,
  { file, max, maxFile, ...options }: InspectOptions & { file: string | null; max: number; maxFile: number },
): Promise<InspectedRepository<FoundDiff>> {
  const limits = { MOST: String(max + 1), MOST_LARGE: String(MAX_LARGE_FILES) };
  const environment = { ...variables(clone, maxFile), ...limits, FILE: file ?? "" };
  const most = max + 2 + MAX_LARGE_FILES * MAX_PATH_BYTES;
  const result = await inspect(sandbox, DIFF, environment, most, options);
  if (!result.ok) return result;
  const reason = failureOf(result.exitCode);
  if (reason !== null) return { ok: false, reason };
  const found = parseDiff(result.output, max);
  return found === null ? { ok: false, reason: "failed" } : { ok: true, ...found };
}

/** Parses the script's output. Returns null when the output was tampered with. */
function parseDiff(output: Buffer, max: number): FoundDiff | null {
  const end = output[0] === 0 ? 0 : output.indexOf("\0\0") + 1;
  if (end === 0 && output[0] !== 0) return null;
  const diff = output.subarray(end + 1);
  const large = fieldsOf(output.subarray(0, end)).filter(({ length }) => length > 0);
  return { diff: diff.subarray(0, max), cut: diff.length > max, large };
}

function variables({ path, base }: InspectedClone, maxFile: number): Record<string, string> {
  return {
    REPOSITORY: path,
    BASE: base,
    MOST_UNTRACKED: String(MAX_UNTRACKED),
    LARGE_FILES,
    MOST_FILE: String(maxFile),
    MOST_TOGETHER: String(MAX_COMPARED_BYTES),
  };
}

function failureOf(exitCode: number): CloneFailure | null {
  return exitCode === 0 ? null : (FAILURES[exitCode] ?? "git_failed");
}
