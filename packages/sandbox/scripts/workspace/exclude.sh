# shellcheck shell=sh
# Makes git ignore a path in a clone, or no longer ignore it. Placed after git.sh, so that no program of the repository runs.
#
# BERTH_CLONE_TARGET: the path of the clone. BERTH_EXCLUDE_PATH: the path to ignore, relative to it. BERTH_EXCLUDE_PATTERN: the same as a
# line of .git/info/exclude. BERTH_EXCLUDE_UNDO: if set, the line is removed.
# Exit status: 1 when there is no clone, 95 when the repository tracks something at the path.
set -u
# shellcheck disable=SC2034 # read by git of git.sh
protocol=https
target=$BERTH_CLONE_TARGET file=$BERTH_CLONE_TARGET/.git/info/exclude
[ -d "$target/.git" ] || exit 1
if [ -n "${BERTH_EXCLUDE_UNDO-}" ]; then
  [ -e "$file" ] || exit 0
  grep -vxF -e "$BERTH_EXCLUDE_PATTERN" -- "$file" >"$file.berth"
  mv -f -- "$file.berth" "$file" || exit 1
  exit 0
fi
tracked=$(git -C "$target" --literal-pathspecs ls-files -- "$BERTH_EXCLUDE_PATH") || exit 1
[ -z "$tracked" ] || exit 95
mkdir -p -- "$target/.git/info" || exit 1
if grep -qxF -e "$BERTH_EXCLUDE_PATTERN" -- "$file" 2>/dev/null; then exit 0; fi
if [ -s "$file" ] && [ -n "$(tail -c 1 -- "$file")" ]; then echo >>"$file" || exit 1; fi
printf '%s\n' "$BERTH_EXCLUDE_PATTERN" >>"$file" || exit 1
