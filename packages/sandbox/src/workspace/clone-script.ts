import { createHash } from "node:crypto";
import { gitFunction, protocolOf } from "./git-function.ts";
import type { RepositoryMount } from "./repository.ts";

/** Exit codes by which the script tells what git's output does not. */
export const cloneExit = { occupied: 90, branchMissing: 91, commitMissing: 92, unwritable: 93 } as const;

/**
 * Clones in full, as the sandbox's user. Nothing of the repository runs: no hooks, no fsmonitor, no submodules, no
 * protocol but the url's (https or http), no redirect; nor does git's configuration in the agent's home take part. What is
 * at the mount path is a whole clone or nothing: git works in a directory beside it and the result is moved. Where the mount path is a directory already
 * (a place of its own on the disk) git works below its `.git`, the one name that no repository can bring along; as long as
 * that work is there, all that is at the mount path is a remainder. A clone of the same url that is there from before is left
 * as it is.
 */
export const cloneScript = `set -u
${protocolOf("$BERTH_CLONE_URL")}
${gitFunction}
target=$BERTH_CLONE_TARGET
tell() {
  printf '\\nberth:done %s %s\\n' "$(git -C "$target" rev-parse --verify --quiet HEAD)" "$(git -C "$target" symbolic-ref -q --short HEAD)"
  exit 0
}
empty() { find "$target" -mindepth 1 -maxdepth 1 -exec rm -rf -- {} +; }
if [ -d "$target" ]; then
  own=yes work=$target/.git/berth-clone
  if [ -e "$work" ] || [ -n "\${BERTH_CLONE_ANEW-}" ]; then empty; fi
elif [ -e "$target" ] || [ -L "$target" ]; then
  exit ${cloneExit.occupied}
else
  own= work=$BERTH_CLONE_BESIDE
  rm -rf -- "$work"
fi
if [ -n "\${BERTH_CLONE_TIDY-}" ]; then exit 0; fi
if [ -n "$own" ]; then
  if [ "$(git -C "$target" config --get remote.origin.url 2>/dev/null)" = "$BERTH_CLONE_URL" ] && [ -e "$target/.git" ]; then tell; fi
  if [ -n "$(find "$target" -mindepth 1 -maxdepth 1 -print -quit)" ]; then exit ${cloneExit.occupied}; fi
fi
fail() {
  if [ -n "$own" ]; then empty; else rm -rf -- "$work"; fi
  exit "$1"
}
trap 'fail 1' HUP INT TERM
mkdir -p -- "$work" || fail ${cloneExit.unwritable}
set -- clone --progress --template=
[ -n "\${BERTH_CLONE_BRANCH-}" ] && set -- "$@" --branch "$BERTH_CLONE_BRANCH"
[ -n "\${BERTH_CLONE_COMMIT-}" ] && set -- "$@" --no-checkout
git "$@" -- "$BERTH_CLONE_URL" "$work" || fail 1
if [ -n "\${BERTH_CLONE_BRANCH-}" ] && [ "$(git -C "$work" symbolic-ref -q --short HEAD)" != "$BERTH_CLONE_BRANCH" ]; then
  fail ${cloneExit.branchMissing}
fi
if [ -n "\${BERTH_CLONE_COMMIT-}" ]; then
  git -C "$work" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null ||
    git -C "$work" fetch --quiet origin "$BERTH_CLONE_COMMIT" 2>/dev/null || fail ${cloneExit.commitMissing}
  git -C "$work" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null || fail ${cloneExit.commitMissing}
  git -C "$work" checkout --progress --detach "$BERTH_CLONE_COMMIT" || fail 1
fi
if [ -n "$own" ]; then
  find "$work" -mindepth 1 -maxdepth 1 ! -name .git -exec mv -t "$target" -- {} + || fail 1
  find "$work/.git" -mindepth 1 -maxdepth 1 -exec mv -t "$target/.git" -- {} + || fail 1
  rm -rf -- "$work"
else
  mv -T -- "$work" "$target" || fail 1
fi
tell
`;

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
export const anewVariables = { BERTH_CLONE_ANEW: "1" } as const;

/** With this the script only removes what a clone that was killed has left. */
export const tidyVariables = { BERTH_CLONE_TIDY: "1" } as const;

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
