# shellcheck shell=sh
# Prints a part of a regular file. Runs after path.sh.
#
# FILE: its path. FROM, COUNT: the part, in bytes; less is printed where the file ends.
#
# Prints "SIZE MODIFIED CHANGED INODE" and a NUL, then the part, then the same once more: if both are equal, the file did not change
# meanwhile. No pipe, device or link is opened, not even one that takes the file's place.
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
