# shellcheck shell=bash
# Runs ripgrep in a folder. Prints its standard output, a NUL, and its standard error.
#
# FOLDER: the folder; for a file, the folder that contains it. COUNT: number of arguments. ARGUMENT_1 and so on: the arguments.
# FIRST: the largest number of NUL-terminated names to print; empty for all.
# Exit status: 40 no such folder, otherwise that of ripgrep.

[ -f "$FOLDER" ] && FOLDER=$(dirname "$FOLDER")
cd "$FOLDER" 2>/dev/null || exit 40
set --
place=1
while [ "$place" -le "$COUNT" ]; do
  eval "set -- \"\$@\" \"\$ARGUMENT_$place\""
  place=$((place + 1))
done
exec 3>&1
if [ -n "$FIRST" ]; then
  errors=$( { rg --no-config "$@" </dev/null | head -z -n "$FIRST" >&3; } 2>&1 )
else
  errors=$(rg --no-config "$@" </dev/null 2>&1 >&3)
fi
code=$?
printf '\0%s' "$errors"
exit "$code"
