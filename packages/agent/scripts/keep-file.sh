# shellcheck shell=bash
# Writes its standard input to a new file, or leaves none when that fails.
#
# FILE: its path. The directory is made.

mkdir -p "$(dirname "$FILE")" || exit 1
cat >"$FILE" && exit 0
rm -f "$FILE"
exit 1
