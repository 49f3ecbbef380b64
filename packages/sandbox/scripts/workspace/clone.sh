# shellcheck shell=sh
# Clones a repository with its whole history, as the user of the sandbox. Placed after git.sh and lfs.sh, so that no program of the
# repository runs.
#
# BERTH_CLONE_URL: the URL, https or http. BERTH_CLONE_TARGET: the mount path.
# BERTH_CLONE_BESIDE: a path in the same directory, which git clones to.
# BERTH_CLONE_BRANCH, BERTH_CLONE_TAG, BERTH_CLONE_REF (a full name) or BERTH_CLONE_COMMIT: what to check out. Default: the branch that HEAD of the host points to.
# BERTH_CLONE_ANEW: if set, the content of a directory at the mount path is deleted first.
# BERTH_CLONE_TIDY: if set, the script only deletes what a killed clone has left.
#
# The line before the last: "berth:lfs REASON", if files of Git LFS are still pointers; see lfs.sh.
# Last line: "berth:done COMMIT BRANCH"; the commit is empty for a repository without one, the branch for a detached HEAD. If git
# failed and the host said how long to wait: "berth:retry-after VALUE"; if the response was not one of a git server:
# "berth:no-git-server".
# Exit status: 1 when git failed, 90 when something else is at the mount path, 91 when the branch is missing, 92 when the
# commit is missing, 93 when no directory can be created there, 94 when the tag is missing or not of a commit, 95 when the LFS server
# rejected the credential, 96 when what answered is no git server, 97 when the ref is missing or not of a
# commit.
#
# The mount path never has a partial clone: git clones to another path, and the result is moved. If the mount path is an existing
# directory (a writable one of the sandbox), git clones to .git/berth-clone in it, since no repository can contain that name. While
# that exists, the content of the mount path is incomplete. An existing clone of the same URL is left unchanged.
set -u
protocol_of "$BERTH_CLONE_URL"
target=$BERTH_CLONE_TARGET
newline='
'
finish() {
  if [ -n "${lfs-}" ]; then printf '\nberth:lfs %s' "$lfs"; fi
  # If there is a commit, one git prints both. The name of a detached HEAD is HEAD.
  if both=$(git -C "$target" rev-parse HEAD --symbolic-full-name HEAD 2>/dev/null); then
    branch=${both#*"$newline"}
    case $branch in refs/heads/*) branch=${branch#refs/heads/} ;; *) branch='' ;; esac
    printf '\nberth:done %s %s\n' "${both%%"$newline"*}" "$branch"
  else
    printf '\nberth:done  %s\n' "$(git -C "$target" symbolic-ref -q --short HEAD)"
  fi
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
  rm -rf -- "$work" "$work.headers"
fi
if [ -n "${BERTH_CLONE_TIDY-}" ]; then exit 0; fi
if [ -n "$own" ]; then
  if [ "$(git -C "$target" config --get remote.origin.url 2>/dev/null)" = "$BERTH_CLONE_URL" ] && [ -e "$target/.git" ]; then finish; fi
  if [ -n "$(find "$target" -mindepth 1 -maxdepth 1 -print -quit)" ]; then exit 90; fi
fi
fail() {
  if [ -n "$own" ]; then empty; else rm -rf -- "$work" "$work.headers"; fi
  if [ -n "$traced" ]; then
    sed -n 's/.*<= Recv header: [Rr]etry-[Aa]fter: *\([[:print:]]*\).*/berth:retry-after \1/p' <&6 | tail -n 1
    grep -qi '<= Recv header: content-type: application/x-git-' /dev/fd/6 || echo berth:no-git-server
  fi
  exit "$1"
}
traced=''
trap 'fail 1' HUP INT TERM
mkdir -p -- "$work" || fail 93
# git reports the status of a response, but not its headers. It traces them, without credentials, into a deleted file.
trace_headers() {
  (: >"$work.headers") 2>/dev/null || return 0
  exec 5>"$work.headers"
  exec 6<"$work.headers"
  rm -f -- "$work.headers"
  traced=yes
  export GIT_TRACE_CURL=5 GIT_TRACE_CURL_NO_DATA=1
}
trace_headers
set -- clone --progress --template=
[ -n "${BERTH_CLONE_BRANCH-}" ] && set -- "$@" --branch "$BERTH_CLONE_BRANCH"
[ -n "${BERTH_CLONE_COMMIT-}${BERTH_CLONE_TAG-}${BERTH_CLONE_REF-}" ] && set -- "$@" --no-checkout
git "$@" -- "$BERTH_CLONE_URL" "$work" || fail 1
# If the URL is a web page, git makes an empty repository, as for a repository that is empty.
settle_empty() {
  answer=$(GIT_TRACE_PACKET=1 git ls-remote -- "$BERTH_CLONE_URL" 2>&1)
  case $answer in
    *' object-format=sha256'*) format=sha256 ;;
    *'packet:'*) return ;;
    *) fail 96 ;;
  esac
  [ "$(git -C "$work" rev-parse --show-object-format)" != "$format" ] || return 0
  # git before 2.41 does not ask an empty repository for its object format.
  if ! start_anew; then fail 1; fi
}
start_anew() {
  branch=$(git -C "$work" symbolic-ref --short HEAD) && rm -rf -- "$work/.git" &&
    git init -q --template= --object-format="$format" --initial-branch="$branch" "$work" &&
    git -C "$work" remote add origin "$BERTH_CLONE_URL" &&
    git -C "$work" config "branch.$branch.remote" origin && git -C "$work" config "branch.$branch.merge" "refs/heads/$branch"
}
# A clone that has refs has them packed.
[ -s "$work/.git/packed-refs" ] || settle_empty
if [ -n "${BERTH_CLONE_BRANCH-}" ] && [ "$(git -C "$work" symbolic-ref -q --short HEAD)" != "$BERTH_CLONE_BRANCH" ]; then
  fail 91
fi
if [ -n "${BERTH_CLONE_TAG-}" ]; then
  BERTH_CLONE_COMMIT=$(git -C "$work" rev-parse --verify --quiet "refs/tags/$BERTH_CLONE_TAG^{commit}") || fail 94
fi
# Fetches a ref or commit that no branch or tag has. $2: the exit status when the host does not have it.
fetch_other() {
  said=$(git -C "$work" fetch --quiet origin "$1" 2>&1) || case $said in
    *'unable to access'* | *'RPC failed'* | *'hung up'* | *'early EOF'*) printf '\n%s\n' "$said" && fail 1 ;;
    *) fail "$2" ;;
  esac
}
if [ -n "${BERTH_CLONE_REF-}" ]; then
  fetch_other "$BERTH_CLONE_REF" 97
  BERTH_CLONE_COMMIT=$(git -C "$work" rev-parse --verify --quiet 'FETCH_HEAD^{commit}') || fail 97
  rm -f -- "$work/.git/FETCH_HEAD"
fi
if [ -n "${BERTH_CLONE_COMMIT-}" ]; then
  git -C "$work" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null || fetch_other "$BERTH_CLONE_COMMIT" 92
  git -C "$work" cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null || fail 92
  git -C "$work" checkout --progress --detach "$BERTH_CLONE_COMMIT" || fail 1
fi
place_lfs "$BERTH_CLONE_URL" "$work"
[ "$lfs" != refused ] || fail 95
if [ -n "$own" ]; then
  find "$work" -mindepth 1 -maxdepth 1 ! -name .git -exec mv -t "$target" -- {} + || fail 1
  find "$work/.git" -mindepth 1 -maxdepth 1 -exec mv -t "$target/.git" -- {} + || fail 1
  rm -rf -- "$work"
else
  mv -T -- "$work" "$target" || fail 1
fi
finish
