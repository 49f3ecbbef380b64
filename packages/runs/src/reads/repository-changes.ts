import {
  formatId,
  MAX_COMPARED_FILE_BYTES,
  MAX_LISTED_COMMITS,
  MAX_LISTED_FILES,
  MAX_LISTED_PUSHES,
  type RepositoryChangesOf,
} from "@berth/contract";
import { type CloneFailure, type RepositoryChanges, repositoryChanges, type Sandbox } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { MAX_READ_MS } from "@berth/store/session-log";
import { isRepository, type RunRepository, readResources } from "../inputs/resource-store.ts";
import { maskedValue } from "../lease/mask-draft.ts";
import { timestampOf } from "./timestamp.ts";

export interface ReadDeps {
  db: { read: Queryable };
  /** Masks the session's secrets. */
  mask(text: string): string;
}

/** The session and sandbox of a read. */
export interface ReadTarget {
  /** uuid of the session. */
  sessionId: string;
  sandbox: Pick<Sandbox, "run">;
  signal: AbortSignal;
}

/** Returns the changes in each repository of a session, with secrets masked. */
export async function changesOf(deps: ReadDeps, target: ReadTarget): Promise<RepositoryChangesOf[]> {
  const resources = await readResources(deps.db.read, target.sessionId);
  const all: RepositoryChangesOf[] = [];
  for (const repository of resources.filter(isRepository))
    all.push(maskedValue(await describe(target, repository), deps.mask));
  return all;
}

async function describe(
  { sandbox, signal }: ReadTarget,
  repository: RunRepository,
): Promise<RepositoryChangesOf> {
  if (!repository.ready) return without(repository, "not_in_place", notInPlace(repository), null);
  const base = repository.baseCommit;
  if (base === null)
    return without(repository, "unreadable", "The commit that was cloned is not known.", null);
  const result = await repositoryChanges(
    sandbox,
    { path: repository.mountPath, base },
    {
      commits: MAX_LISTED_COMMITS,
      files: MAX_LISTED_FILES,
      pushes: MAX_LISTED_PUSHES,
      maxFile: MAX_COMPARED_FILE_BYTES,
      timeoutMs: MAX_READ_MS,
      signal,
    },
  );
  if (!result.ok) return without(repository, "unreadable", WHY[result.reason], base);
  const { changes } = result;
  const { branch, head } = changes;
  if (!changes.hasBase)
    return { ...without(repository, "unreadable", WHY.base_missing, base), branch, head_commit: head };
  return compared(repository, base, changes);
}

function compared(repository: RunRepository, base: string, changes: RepositoryChanges): RepositoryChangesOf {
  return {
    ...without(repository, "compared", null, base),
    branch: changes.branch,
    head_commit: changes.head,
    pushes: changes.pushes,
    base_is_ancestor: changes.baseIsAncestor,
    commit_count: changes.commitCount,
    commits: changes.commits.map(({ sha, subject, author, email, time, pushed }) => ({
      sha,
      subject,
      author: { name: author, email },
      authored_at: Number.isNaN(Date.parse(time)) ? null : timestampOf(Date.parse(time)),
      pushed,
    })),
    file_count: changes.fileCount,
    files: changes.files.map(({ path, oldPath, status, type, additions, deletions, binary }) => ({
      path: path.toString("utf8"),
      old_path: oldPath?.toString("utf8") ?? null,
      status,
      type,
      additions,
      deletions,
      binary,
    })),
  };
}

function without(
  { id, url, mountPath }: RunRepository,
  status: RepositoryChangesOf["status"],
  reason: string | null,
  base: string | null,
): RepositoryChangesOf {
  return {
    type: "repository_changes",
    resource_id: formatId("session_resource", id),
    url,
    mount_path: mountPath,
    status,
    reason,
    branch: null,
    base_commit: base || null,
    head_commit: null,
    pushes: [],
    base_is_ancestor: status === "compared",
    commit_count: 0,
    commits: [],
    file_count: 0,
    files: [],
  };
}

function notInPlace({ failure }: RunRepository): string {
  return failure === null ? "It is not cloned yet." : `It could not be cloned: ${failure}`;
}

const NO_CLONE = "There is no clone at its mount path.";
const TAMPERED = "git's output about it cannot be read.";

const WHY: Readonly<Record<CloneFailure, string>> = {
  not_found: NO_CLONE,
  not_a_directory: NO_CLONE,
  no_clone: `${NO_CLONE} A '.git' that is a file or a link is not a clone.`,
  link: "Its mount path is a symbolic link or leads through one, and links are not followed.",
  permission: "The sandbox's user has no permission to read its directory.",
  base_missing: "It no longer has the commit that was cloned.",
  no_git: "The sandbox has no git.",
  no_room: "The sandbox has too little disk space for git to compare it.",
  git_failed: "git cannot read it.",
  full: "The sandbox has too many processes to start git.",
  slow: `git did not compare it within ${MAX_READ_MS / 1_000} seconds.`,
  gone: "The sandbox ended during the comparison.",
  is_directory: TAMPERED,
  not_a_file: TAMPERED,
  changed: TAMPERED,
  failed: TAMPERED,
};
