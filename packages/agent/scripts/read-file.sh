# shellcheck shell=bash
# Prints a file, with one process: most are small, and the model waits. Of a larger one, whoever asked then asks for a part.
#
# FILE: its path. LIMIT: bytes of it to print at most; empty to print its size in a line of its own, and then a part of it. Lines of UTF-16
# come as UTF-8. FIRST, COUNT: the lines of the part; empty for its first 512 bytes. LINE_BYTES: bytes of these lines at most.
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
