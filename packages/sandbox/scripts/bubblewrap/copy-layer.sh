# shellcheck shell=sh
# Copies what was changed of a system out of a mounted disk, as a layer.
#
# $1: the directory of the changes. $2: where to copy them; it must not exist.
# Exit status: 90 when the disk has less than 1 MiB or no inode left, since some change may then be missing.
#
# Overlays record deleted and replaced files in extended attributes, so cp must fail where it cannot copy them: --preserve
# names xattr, which "cp -a" would only try.
from=$1 to=$2
[ "$(stat -f -c %a "$from")" -ge 256 ] && [ "$(stat -f -c %d "$from")" -gt 0 ] || exit 90
exec cp -dR -T --preserve=mode,ownership,timestamps,links,xattr -- "$from" "$to"
