import type { Sandbox } from "../interface/sandbox.ts";
import { perlText, shellPrograms } from "../scripts/read-script.ts";
import { type InspectFailure, type InspectOptions, inspect } from "./inspect-command.ts";
import { fieldsOf } from "./list-directory.ts";
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
const LARGE_FILES = perlText("inspect/large-files.pl");

const MAX_UNTRACKED = 200_000;
const MEBIBYTE = 1024 * 1024;
/** What git reads in about a second; a file without data costs as much as one that is full. */
const MAX_COMPARED_BYTES = 256 * MEBIBYTE;
/** Of changed files that are too large to compare, how many are named. */
const MAX_LARGE_FILES = 100;
const MAX_PATH_BYTES = 4_096;
/** An entry takes up to two paths of 4,096 bytes twice, but hardly ever does. */
const MAX_CHANGES_BYTES = 16 * MEBIBYTE;
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
 * included. Of both at most so many are listed, and all are counted. A file of more than `maxFile` bytes is not compared, and counts as
 * binary, and as changed once its time or size did; so do the largest of many.
 *
 * git sees the clone's objects and references, and nothing that could have it run a program: no configuration, hooks or attributes of it.
 */
export async function repositoryChanges(
  sandbox: Pick<Sandbox, "run">,
  clone: InspectedClone,
  {
    commits,
    files,
    maxFile,
    ...options
  }: InspectOptions & { commits: number; files: number; maxFile: number },
): Promise<InspectedRepository<{ changes: RepositoryChanges }>> {
  const limits = { MOST_COMMITS: String(commits), MOST_FILES: String(files) };
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
  /** Whether it goes on. */
  cut: boolean;
  /** Paths of changed files that were too large to compare; the first 100. */
  large: Buffer[];
}

/**
 * The unified diff of one file of a clone, or of all, between the commit from which it was cloned and the work tree: at most `max` bytes.
 * Files that `repositoryChanges` does not compare are binary in it.
 *
 * @param file relative to the clone; of a renamed one, its new path. Null: all files.
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

/** Returns null for output that was tampered with. */
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
