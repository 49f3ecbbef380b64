# shellcheck shell=bash
# Prints a file or a part of it. It uses one process, since most files are small, and the model waits. If a file is larger than LIMIT, the
# caller asks for a part with a second call.
#
# FILE: its path. LIMIT: the largest number of bytes to print. If it is empty, the script prints the size in a line of its own, then a part:
# FIRST, COUNT: the lines of the part; empty for its first 512 bytes. Lines in UTF-16 are printed as UTF-8. LINE_BYTES: the largest size of
# these lines in bytes.
# Exit status: 41 a directory, 42 not found, 43 not a regular file, 44 no permission, 45 another error, which is printed.

[ -d "$FILE" ] && exit 41
[ -e "$FILE" ] || exit 42
[ -f "$FILE" ] || exit 43
[ -r "$FILE" ] || exit 44
if [ -n "$LIMIT" ]; then exec head -c "$LIMIT" "$FILE"; fi
size=$(wc -c <"$FILE") || exit 45
printf '%d\n' "$size"
case $(head -c 2 "$FILE" | od -An -tx1) in ' ff fe' | ' fe ff')
  if [ -n "$FIRST" ]; then
    iconv -f UTF-16 -t UTF-8 "$FILE" | tail -n "+$FIRST" | head -n "$COUNT" | head -c "$LINE_BYTES"
    exit 0
  fi ;;
esac
if [ -n "$FIRST" ]; then tail -n "+$FIRST" "$FILE" | head -n "$COUNT" | head -c "$LINE_BYTES"; exit 0; fi
exec head -c 512 "$FILE"
