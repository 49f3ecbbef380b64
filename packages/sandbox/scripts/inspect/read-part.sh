# shellcheck shell=sh
# Prints a part of a regular file. Runs after path.sh.
#
# FILE: its path. FROM, COUNT: the part, in bytes; less is printed if the file ends before.
#
# Prints "SIZE MODIFIED CHANGED INODE" and a NUL, then the part, then "SIZE MODIFIED CHANGED INODE" and a NUL again: if both are equal, the
# file did not change meanwhile. It never opens a pipe, device or link, even if one takes the file's place meanwhile.
# Exit status: as enter in path.sh; 42 a directory, 43 not a regular file.
directory=${FILE%/*} name=./${FILE##*/}
enter "${directory:-/}"
[ -L "$name" ] && exit 45
[ -e "$name" ] || exit 41
[ -d "$name" ] && exit 42
[ -f "$name" ] || exit 43
[ -r "$name" ] || exit 44
stamp() { find "$name" -maxdepth 0 -type f -printf '%s %T@ %C@ %i\0'; }
stamp
dd if="$name" bs=65536 skip="$FROM" count="$COUNT" iflag=nofollow,nonblock,fullblock,skip_bytes,count_bytes status=none
stamp
