# shellcheck shell=sh disable=SC2154 # $base and $view are set by repository.sh
# Prints the unified diff between the base of a clone and its work tree. Runs after path.sh and repository.sh.
#
# REPOSITORY: its path. BASE, MOST_UNTRACKED: see repository.sh. FILE: the path of one file in it; of a renamed file, the new one. Empty:
# all files. MOST: bytes to print at most.
#
# Exit status: as enter in path.sh and open_clone in repository.sh; 54 when the base is missing.
open_clone "$REPOSITORY"
find_base
[ -n "$base" ] || exit 54
include_untracked || exit 53
former() {
  compare --name-status --diff-filter=R -z "$base" | head -c 16777216 | tr '\0\n' '\n\001' | while IFS= read -r _ && IFS= read -r old && IFS= read -r new; do
    if [ "$new" = "$wanted" ]; then
      printf %s "$old" | tr '\001' '\n'
      break
    fi
  done
}
if [ -n "$FILE" ]; then
  wanted=$(printf %s "$FILE" | tr '\n' '\001')
  old=$(former)
  compare -p "$base" -- "$FILE" ${old:+"$old"}
else
  compare -p "$base"
fi | head -c "$MOST"
