# shellcheck shell=sh
# Replaces the content of a file with its standard input. A missing file and missing directories are made.
#
# FILE: its path.
# Exit status: 42 a directory, 43 not a regular file, 44 no permission or no space.
exec 2>/dev/null
[ -d "$FILE" ] && exit 42
[ -e "$FILE" ] && [ ! -f "$FILE" ] && exit 43
mkdir -p -- "$(dirname -- "$FILE")" || exit 44
cat >"$FILE" || exit 44
