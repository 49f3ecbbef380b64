import type { RepositoryMount } from "./repository.ts";

/** Exit codes by which the script tells what git's output does not. */
export const cloneExit = { occupied: 90, branchMissing: 91, commitMissing: 92 } as const;

/**
 * Clones in full, as the sandbox's user. Nothing of the repository runs: no hooks, no fsmonitor, no submodules, no other
 * protocol, no redirect. What is at the mount path is a whole clone or nothing: git works in a directory beside it, or in one
 * inside where the mount path is there already (a place of its own on the disk), and the result is moved. A clone of the
 * same url that is there from before is left as it is.
 */
export const cloneScript = `set -u
export LC_ALL=C GIT_TERMINAL_PROMPT=0
target=$BERTH_CLONE_TARGET
parent=\${target%/*}
git() {
  command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c protocol.allow=never -c protocol.https.allow=always \\
    -c http.followRedirects=false -c submodule.recurse=false -c safe.bareRepository=explicit \\
    -c advice.detachedHead=false -c checkout.workers=0 -c gc.auto=0 "$@"
}
tell() {
  printf '\\nberth:done %s %s\\n' "$(git -C "$target" rev-parse HEAD 2>/dev/null)" "$(git -C "$target" symbolic-ref -q --short HEAD)"
  exit 0
}
if [ -d "$target" ]; then
  beside=$target/.berth-clone
  [ -e "$beside" ] && find "$target" -mindepth 1 -maxdepth 1 -exec rm -rf -- {} +
  if [ "$(git -C "$target" config --get remote.origin.url 2>/dev/null)" = "$BERTH_CLONE_URL" ] && [ -e "$target/.git" ]; then tell; fi
  if [ -n "$(find "$target" -mindepth 1 -maxdepth 1 -print -quit)" ]; then exit ${cloneExit.occupied}; fi
elif [ -e "$target" ]; then
  exit ${cloneExit.occupied}
else
  mkdir -p -- "\${parent:-/}" || exit 1
  beside=$parent/.berth-clone-\${target##*/}
  rm -rf -- "$beside"
fi
fail() { rm -rf -- "$beside"; exit "$1"; }
trap 'fail 1' HUP INT TERM
set -- clone --progress --template=
[ -n "\${BERTH_CLONE_BRANCH-}" ] && set -- "$@" --branch "$BERTH_CLONE_BRANCH"
[ -n "\${BERTH_CLONE_COMMIT-}" ] && set -- "$@" --no-checkout
git "$@" -- "$BERTH_CLONE_URL" "$beside" || fail 1
if [ -n "\${BERTH_CLONE_BRANCH-}" ] && [ "$(git -C "$beside" symbolic-ref -q --short HEAD)" != "$BERTH_CLONE_BRANCH" ]; then
  fail ${cloneExit.branchMissing}
fi
if [ -n "\${BERTH_CLONE_COMMIT-}" ]; then
  git -C "$beside" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null ||
    git -C "$beside" fetch --quiet origin "$BERTH_CLONE_COMMIT" 2>/dev/null || fail ${cloneExit.commitMissing}
  git -C "$beside" checkout --progress --detach "$BERTH_CLONE_COMMIT" || fail ${cloneExit.commitMissing}
fi
if [ -d "$target" ]; then
  find "$beside" -mindepth 1 -maxdepth 1 ! -name .git -exec mv -t "$target" -- {} + || fail 1
  mv -- "$beside/.git" "$target/.git" && rmdir -- "$beside" || fail 1
else
  mv -T -- "$beside" "$target" || fail 1
fi
tell
`;

/** What the script reads. Values are never part of its text. */
export function cloneVariables({ url, mountPath, checkout }: RepositoryMount): Record<string, string> {
  return {
    BERTH_CLONE_URL: url,
    BERTH_CLONE_TARGET: mountPath,
    ...(checkout?.type === "branch" ? { BERTH_CLONE_BRANCH: checkout.name } : {}),
    ...(checkout?.type === "commit" ? { BERTH_CLONE_COMMIT: checkout.sha } : {}),
  };
}

/** What the script tells at its end; null when it did not get there. */
export function clonedHead(output: string): { commit: string; branch: string | null } | null {
  const [, commit, branch] = /^berth:done ([0-9a-f]{40,64}) (.*)$/m.exec(output) ?? [];
  if (commit !== undefined) return { commit, branch: branch || null };
  // A repository without a commit has a branch to be born.
  const [, unborn] = /^berth:done {2}(.+)$/m.exec(output) ?? [];
  return unborn === undefined ? null : { commit: "", branch: unborn };
}
