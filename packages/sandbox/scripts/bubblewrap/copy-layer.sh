# shellcheck shell=sh
# Copies the changes to a system from a mounted disk into a new layer.
#
# $1: the directory of the changes. $2: where to copy them; it must not exist.
# Exit status: 90 when the disk has less than 1 MiB or no inode left, since changes may then be missing.
#
# Overlays record deleted and replaced files in extended attributes, so cp must fail when it cannot copy them. With
# --preserve=xattr it does; "cp -a" ignores such errors.
from=$1 to=$2
[ "$(stat -f -c %a "$from")" -ge 256 ] && [ "$(stat -f -c %d "$from")" -gt 0 ] || exit 90
exec cp -dR -T --preserve=mode,ownership,timestamps,links,xattr -- "$from" "$to"
