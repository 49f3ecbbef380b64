import { createHash } from "node:crypto";
import { shellScript } from "../scripts/read-script.ts";
import type { MissingLfs, RepositoryMount } from "./repository/repository.ts";

/** Exit codes of the script for failures that git's output does not show. */
export const CLONE_EXIT = {
  occupied: 90,
  branchMissing: 91,
  commitMissing: 92,
  unwritable: 93,
  tagMissing: 94,
  lfsRefused: 95,
  noGitServer: 96,
  refMissing: 97,
} as const;

export const CLONE_SCRIPT = shellScript("workspace/git.sh", "workspace/lfs.sh", "workspace/clone.sh");

/** Returns the script's parameters, which are never part of its text. See `CloneOptions` for the seconds. */
export function cloneVariables(
  { url, mountPath, checkout }: RepositoryMount,
  { stallSeconds, lfsSeconds }: { stallSeconds: number; lfsSeconds: number },
): Record<string, string> {
  return {
    BERTH_CLONE_URL: url,
    BERTH_CLONE_STALL_SECONDS: String(stallSeconds),
    BERTH_LFS_SECONDS: String(lfsSeconds),
    BERTH_CLONE_TARGET: mountPath,
    BERTH_CLONE_BESIDE: pathBeside(mountPath),
    ...(checkout?.type === "branch" ? { BERTH_CLONE_BRANCH: checkout.name } : {}),
    ...(checkout?.type === "tag" ? { BERTH_CLONE_TAG: checkout.name } : {}),
    ...(checkout?.type === "ref" ? { BERTH_CLONE_REF: checkout.name } : {}),
    ...(checkout?.type === "commit" ? { BERTH_CLONE_COMMIT: checkout.sha } : {}),
  };
}

/** Makes the script delete what is in the directory at the mount path. */
export const OVERWRITE_VARIABLES = { BERTH_CLONE_ANEW: "1" } as const;

/** Makes the script only delete what a killed clone left. */
export const CLEANUP_VARIABLES = { BERTH_CLONE_TIDY: "1" } as const;

/**
 * Returns a path in the same directory, with a short name even if the mount path's name has the maximum
 * length.
 */
function pathBeside(mountPath: string): string {
  const digest = createHash("sha256").update(mountPath).digest("hex").slice(0, 16);
  return `${mountPath.slice(0, mountPath.lastIndexOf("/"))}/.berth-clone-${digest}`;
}

/**
 * Parses the line with the reason why files of Git LFS are still pointers; returns null when all files are
 * there.
 */
export function missingLfs(output: string): MissingLfs | null {
  const [, reason] = /\nberth:lfs (absent|elsewhere|failed)\nberth:done [^\n]*\n$/.exec(output) ?? [];
  return (reason as MissingLfs | undefined) ?? null;
}

/** Parses the last line of the script's output; returns null when the script did not succeed. */
export function clonedHead(output: string): { commit: string; branch: string | null } | null {
  // In a repository without a commit, HEAD names a branch that does not exist yet.
  const [, commit, branch] = /\nberth:done ((?:[0-9a-f]{40,64})?) ([^\n]*)\n$/.exec(output) ?? [];
  if (commit === undefined || branch === undefined) return null;
  return commit === "" && branch === "" ? null : { commit, branch: branch || null };
}
