# shellcheck shell=bash
# Prints the size of a file in a line of its own, then the file or a part of it. Lines of UTF-16 come as UTF-8.
#
# FILE: its path. WHOLE: bytes up to which it is printed whole. FIRST, COUNT: the lines to print of a larger file; empty for its
# first 512 bytes. LINE_BYTES: bytes of these lines at most.
# Exit status: 41 a directory, 42 not found, 43 not a regular file, 44 no permission, 45 another error, which is printed.

[ -d "$FILE" ] && exit 41
[ -e "$FILE" ] || exit 42
[ -f "$FILE" ] || exit 43
[ -r "$FILE" ] || exit 44
size=$(wc -c <"$FILE") || exit 45
printf '%d\n' "$size"
if [ "$size" -le "$WHOLE" ]; then exec cat "$FILE"; fi
case $(head -c 2 "$FILE" | od -An -tx1) in ' ff fe' | ' fe ff')
  if [ -n "$FIRST" ]; then
    iconv -f UTF-16 -t UTF-8 "$FILE" | tail -n "+$FIRST" | head -n "$COUNT" | head -c "$LINE_BYTES"
    exit 0
  fi ;;
esac
if [ -n "$FIRST" ]; then tail -n "+$FIRST" "$FILE" | head -n "$COUNT" | head -c "$LINE_BYTES"; exit 0; fi
exec head -c 512 "$FILE"
