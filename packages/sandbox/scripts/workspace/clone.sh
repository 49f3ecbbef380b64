# shellcheck shell=sh
# Clones a repository in full, as the user of the sandbox. Runs after git.sh: nothing of the repository runs.
#
# BERTH_CLONE_URL: the URL, https or http. BERTH_CLONE_TARGET: the mount path.
# BERTH_CLONE_BESIDE: a path in the same directory, for git to work at.
# BERTH_CLONE_BRANCH or BERTH_CLONE_COMMIT: what to check out. Default: the branch that the host has as HEAD.
# BERTH_CLONE_ANEW: when set, what is in a directory at the mount path is a remainder, which is deleted.
# BERTH_CLONE_TIDY: when set, only removes what a clone that was killed has left.
#
# Last line: "berth:done COMMIT BRANCH"; the commit is empty for a repository without one, the branch for a detached HEAD.
# Exit status: 1 when git failed, 90 when something else is at the mount path, 91 when the branch is missing, 92 when the
# commit is missing, 93 when no directory can be made there.
#
# At the mount path is a whole clone or nothing: git works beside it and the result is moved. Where the mount path is a
# directory already (one of its own on the disk), git works in its .git/berth-clone, the one name that no repository can bring
# along; as long as that exists, all that is at the mount path is a remainder. A clone of the same URL that is there from
# before stays as it is.
set -u
protocol_of "$BERTH_CLONE_URL"
target=$BERTH_CLONE_TARGET
tell() {
  printf '\nberth:done %s %s\n' "$(git -C "$target" rev-parse --verify --quiet HEAD)" "$(git -C "$target" symbolic-ref -q --short HEAD)"
  exit 0
}
empty() { find "$target" -mindepth 1 -maxdepth 1 -exec rm -rf -- {} +; }
if [ -d "$target" ]; then
  own=yes work=$target/.git/berth-clone
  if [ -e "$work" ] || [ -n "${BERTH_CLONE_ANEW-}" ]; then empty; fi
elif [ -e "$target" ] || [ -L "$target" ]; then
  exit 90
else
  own='' work=$BERTH_CLONE_BESIDE
  rm -rf -- "$work"
fi
if [ -n "${BERTH_CLONE_TIDY-}" ]; then exit 0; fi
if [ -n "$own" ]; then
  if [ "$(git -C "$target" config --get remote.origin.url 2>/dev/null)" = "$BERTH_CLONE_URL" ] && [ -e "$target/.git" ]; then tell; fi
  if [ -n "$(find "$target" -mindepth 1 -maxdepth 1 -print -quit)" ]; then exit 90; fi
fi
fail() {
  if [ -n "$own" ]; then empty; else rm -rf -- "$work"; fi
  exit "$1"
}
trap 'fail 1' HUP INT TERM
mkdir -p -- "$work" || fail 93
set -- clone --progress --template=
[ -n "${BERTH_CLONE_BRANCH-}" ] && set -- "$@" --branch "$BERTH_CLONE_BRANCH"
[ -n "${BERTH_CLONE_COMMIT-}" ] && set -- "$@" --no-checkout
git "$@" -- "$BERTH_CLONE_URL" "$work" || fail 1
if [ -n "${BERTH_CLONE_BRANCH-}" ] && [ "$(git -C "$work" symbolic-ref -q --short HEAD)" != "$BERTH_CLONE_BRANCH" ]; then
  fail 91
fi
if [ -n "${BERTH_CLONE_COMMIT-}" ]; then
  git -C "$work" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null ||
    git -C "$work" fetch --quiet origin "$BERTH_CLONE_COMMIT" 2>/dev/null || fail 92
  git -C "$work" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null || fail 92
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
