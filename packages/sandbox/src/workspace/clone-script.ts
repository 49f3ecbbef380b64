import { createHash } from "node:crypto";
import { shellScript } from "../scripts/read-script.ts";
import type { RepositoryMount } from "./repository/repository.ts";

/** Exit codes by which the script tells what git's output does not. */
export const CLONE_EXIT = { occupied: 90, branchMissing: 91, commitMissing: 92, unwritable: 93 } as const;

/** See `clone.sh`. */
export const CLONE_SCRIPT = shellScript("workspace/git.sh", "workspace/clone.sh");

/**
 * What the script reads. Values are never part of its text.
 * @param stallSeconds A host that sends next to nothing for so long is given up.
 */
export function cloneVariables(
  { url, mountPath, checkout }: RepositoryMount,
  stallSeconds: number,
): Record<string, string> {
  return {
    BERTH_CLONE_URL: url,
    BERTH_CLONE_STALL_SECONDS: String(stallSeconds),
    BERTH_CLONE_TARGET: mountPath,
    BERTH_CLONE_BESIDE: pathBeside(mountPath),
    ...(checkout?.type === "branch" ? { BERTH_CLONE_BRANCH: checkout.name } : {}),
    ...(checkout?.type === "commit" ? { BERTH_CLONE_COMMIT: checkout.sha } : {}),
  };
}

/** With this the script takes what is in a directory at the mount path for a remainder. */
export const OVERWRITE_VARIABLES = { BERTH_CLONE_ANEW: "1" } as const;

/** With this the script only removes what a clone that was killed has left. */
export const CLEANUP_VARIABLES = { BERTH_CLONE_TIDY: "1" } as const;

/** A path in the same directory, short whatever the mount path's own name is. */
function pathBeside(mountPath: string): string {
  const digest = createHash("sha256").update(mountPath).digest("hex").slice(0, 16);
  return `${mountPath.slice(0, mountPath.lastIndexOf("/"))}/.berth-clone-${digest}`;
}

/** What the script tells at its very end; null when it did not get there. */
export function clonedHead(output: string): { commit: string; branch: string | null } | null {
  // A repository without a commit has a branch to be born.
  const [, commit, branch] = /\nberth:done ((?:[0-9a-f]{40,64})?) ([^\n]*)\n$/.exec(output) ?? [];
  if (commit === undefined || branch === undefined) return null;
  return commit === "" && branch === "" ? null : { commit, branch: branch || null };
}
