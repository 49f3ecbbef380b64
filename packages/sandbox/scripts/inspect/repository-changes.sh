# shellcheck shell=sh disable=SC2154 # $base and $view are set by repository.sh
# Lists the changes in a clone. Placed after path.sh and repository.sh.
#
# REPOSITORY: its path. BASE, MOST_UNTRACKED, LARGE_FILES, MOST_FILE, MOST_TOGETHER: see repository.sh. MOST_COMMITS, MOST_FILES, MOST_PUSHES: how many are listed.
#
# Prints fields, each ended by a NUL: the commit of HEAD (empty without one), its branch (empty when HEAD is detached), "found" or
# "missing" for the base, "yes" when the base is an ancestor of HEAD, the number of commits, and the number of files. Then one field with
# the commits that no remote branch has, one a line, and one with what the clone pushed to branches of its remote: the last commit and the
# branch, one a line. Then sections, each after its length in bytes: the commits (commit, author's name and
# address, time, subject), "git diff-index --raw -z" and "git diff-index --numstat -z". The last two may end with a cut entry.
# Exit status: as enter in path.sh and open_clone in repository.sh; 53 when git failed.
open_clone "$REPOSITORY"
head=$(look rev-parse --verify -q 'HEAD^{commit}')
branch=$(look symbolic-ref -q --short HEAD)
find_base
: >"$view/log" && : >"$view/raw" && : >"$view/numbers" || exit 52
since() {
  [ -n "$head" ] || return 0
  look "$@" HEAD ${BASE:+--not "$base"}
}
found=missing ancestor=no commits=0 files=0 unpushed=''
if [ -n "$base" ]; then
  found=found
  if [ -z "$BASE" ] || look merge-base --is-ancestor "$base" HEAD; then ancestor=yes; fi
  if [ -n "$head" ]; then commits=$(since rev-list --count) || exit 53; fi
  since log -z --max-count="$MOST_COMMITS" --format='%H%x00%an%x00%ae%x00%aI%x00%s' >"$view/log" || exit 53
  if [ -n "$head" ]; then unpushed=$(look rev-list --max-count="$MOST_COMMITS" HEAD --not ${BASE:+"$base"} --remotes); fi
  include_untracked || exit 53
  compare --raw -z --no-abbrev "$base" | head -c 67108864 >"$view/raw"
  files=$(tr '\0\n' '\n ' <"$view/raw" | grep -cE '^:[0-7]{6} [0-7]{6} [0-9a-f]+ [0-9a-f]+ [A-Z][0-9]*$')
  compare --numstat -z "$base" | sed -z "$((3 * MOST_FILES))q" >"$view/numbers"
fi
# git's log of a remote branch says which of its commits came by a push of this clone.
logs=.git/logs/refs/remotes/origin
pushes=$(
  [ ! -d "$logs" ] || [ -L .git/logs ] || grep -rl 'update by push$' "$logs" | head -n "$MOST_PUSHES" | while IFS= read -r log; do
    grep 'update by push$' "$log" | tail -n 1 | cut -d ' ' -f 2 | tr '\n' ' '
    printf '%s\n' "${log#"$logs/"}"
  done
)
printf '%s\0' "$head" "$branch" "$found" "$ancestor" "$commits" "$files" "$unpushed" "$pushes"
section() {
  wc -c <"$1" | tr '\n' '\0'
  cat "$1"
}
section "$view/log"
sed -z "$((3 * MOST_FILES))q" <"$view/raw" >"$view/listed"
section "$view/listed"
section "$view/numbers"
