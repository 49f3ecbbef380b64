# shellcheck shell=bash
# Writes its standard input to a new file. If that fails, it leaves no file.
#
# FILE: its path. A missing directory is made.

mkdir -p "$(dirname "$FILE")" || exit 1
cat >"$FILE" && exit 0
rm -f "$FILE"
exit 1
