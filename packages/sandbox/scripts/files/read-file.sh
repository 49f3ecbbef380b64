# shellcheck shell=sh
# Prints a file.
#
# FILE: its path. MOST: the largest number of bytes to print.
# Exit status: 41 not found, 42 a directory, 43 not a regular file, 44 no permission.
exec 2>/dev/null
if [ ! -e "$FILE" ]; then
  parent=$FILE
  while [ ! -e "$parent" ]; do parent=$(dirname -- "$parent"); done
  [ -d "$parent" ] && [ ! -x "$parent" ] && exit 44
  exit 41
fi
[ -d "$FILE" ] && exit 42
[ -f "$FILE" ] || exit 43
[ -r "$FILE" ] || exit 44
exec head -c "$MOST" -- "$FILE"
