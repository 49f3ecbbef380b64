# shellcheck shell=sh
# Replaces the content of a file with standard input. The file and its directories are made when missing.
#
# FILE: its path.
# Exit status: 42 a directory, 43 not a regular file, 44 no permission or no space.
exec 2>/dev/null
[ -d "$FILE" ] && exit 42
[ -e "$FILE" ] && [ ! -f "$FILE" ] && exit 43
mkdir -p -- "$(dirname -- "$FILE")" || exit 44
cat >"$FILE" || exit 44
