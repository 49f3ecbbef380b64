# shellcheck shell=sh disable=SC2154 # $base and $view are set by repository.sh
# Prints how the work tree of a clone differs from its base: the paths of the changed files that are too large to compare, at most
# MOST_LARGE, each ended by a NUL; a NUL; and the unified diff, which shows these as binary. Placed after path.sh and repository.sh.
#
# REPOSITORY: its path. BASE, MOST_UNTRACKED, LARGE_FILES, MOST_FILE, MOST_TOGETHER: see repository.sh. FILE: the path of one file in it; of a renamed file, the new one. Empty:
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
wanted=$(printf %s "$FILE" | tr '\n' '\001')
wanted_alone() {
  if [ -z "$FILE" ]; then cat; else tr '\0\n' '\n\001' | grep -xF -e "$wanted" | tr '\n\001' '\0\n'; fi
}
# Large files that are committed are in no other list, and git treats them as binary because of their size alone.
{
  cat "$view/large"
  compare --name-only -z --diff-filter=d "$base" | large "$MOST_FILE" 9007199254740992
} | sed -z 's/^[^\t]*\t//' | LC_ALL=C sort -zu | wanted_alone | sed -z "${MOST_LARGE}q"
printf '\0'
if [ -n "$FILE" ]; then
  old=$(former)
  compare -p "$base" -- "$FILE" ${old:+"$old"}
else
  compare -p "$base"
fi | head -c "$MOST"
