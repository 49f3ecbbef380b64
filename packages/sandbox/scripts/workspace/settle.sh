# shellcheck shell=sh disable=SC2154 # $work is set by the scripts that follow
# A function for the scripts that make an existing clone equal a fresh clone. They follow this file and set $work, the path of the
# clone, which must have the branches and tags of the host.
#
# settle  checks out the branch or commit, and removes all traces of earlier states.
#
# BERTH_CLONE_URL: the URL. BERTH_CLONE_HEAD: short name of the host's default branch.
# BERTH_CLONE_BRANCH, BERTH_CLONE_COMMIT: what to check out; one of the two is empty.
settle() {
  head=$BERTH_CLONE_HEAD own=${BERTH_CLONE_BRANCH:-$BERTH_CLONE_HEAD} commit=$BERTH_CLONE_COMMIT
  now=$(here rev-parse --verify --quiet HEAD) && here update-ref --no-deref HEAD "$now" || return 1
  here for-each-ref --format='%(refname)' refs/heads | while IFS= read -r ref; do
    here update-ref -d "$ref"
    here config --remove-section "branch.${ref#refs/heads/}" 2>/dev/null
  done
  if [ -n "$commit" ]; then
    commit=$(here rev-parse --verify --quiet "$commit^{commit}") || return 1
    here checkout -q --force --detach "$commit" && here update-ref "refs/heads/$own" "refs/remotes/origin/$own" || return 1
  else
    here checkout -q --force --no-track -B "$own" "refs/remotes/origin/$own" || return 1
  fi
  here config remote.origin.url "$BERTH_CLONE_URL" && here config "branch.$own.remote" origin &&
    here config "branch.$own.merge" "refs/heads/$own" || return 1
  here symbolic-ref refs/remotes/origin/HEAD "refs/remotes/origin/$head" || return 1
  rm -rf -- "$work/.git/logs" "$work/.git/FETCH_HEAD" "$work/.git/ORIG_HEAD"
  who=$(here var GIT_COMMITTER_IDENT) && write_log "refs/heads/$own" "refs/heads/$own" || return 1
  write_log refs/remotes/origin/HEAD "refs/remotes/origin/$head" && write_log HEAD "refs/heads/$own" || return 1
  if [ -n "$commit" ]; then
    printf '%s %s %s\tcheckout: moving from %s to %s\n' "$tip" "$commit" "$who" "$own" "$commit" >>"$work/.git/logs/HEAD" || return 1
  fi
}
write_log() {
  tip=$(here rev-parse --verify "$2") && mkdir -p -- "$(dirname -- "$work/.git/logs/$1")" || return 1
  printf '%s %s %s\tclone: from %s\n' "$(printf %s "$tip" | tr 0-9a-f 0)" "$tip" "$who" "$BERTH_CLONE_URL" >"$work/.git/logs/$1"
}
here() { git -C "$work" "$@"; }
