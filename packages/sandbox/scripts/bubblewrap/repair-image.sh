# shellcheck shell=bash
# Checks, repairs and enlarges the ext4 filesystem in an image. Runs under the lock of the image.
#
# $1: the image. $2: path of e2fsck. $3: path of resize2fs. $4: size in bytes to enlarge it to, empty to leave it.
# $5: option of the first e2fsck: -p skips a filesystem that is marked clean, -f does not.
# Exit status: 76 when the filesystem cannot be repaired.
#
# e2fsck exits with less than 4 when the filesystem has no errors, or all were repaired.
image=$1 e2fsck=$2 resize=$3 size=$4 look=$5
repair() { "$e2fsck" "$@" "$image"; [ $? -lt 4 ]; }
repair "$look" -p || repair -f -y || exit 76
if [ -n "$size" ]; then
  repair -f -p || exit 76
  truncate -s "$size" "$image" && "$resize" "$image" || exit 1
fi
