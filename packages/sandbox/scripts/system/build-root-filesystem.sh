# shellcheck shell=sh
# Builds a root filesystem. Runs after debian-tree.sh, while its lock is held.
#
# $1: its path. $2: the lines of the recipe (recipe_lines). $3: URL of the npm registry.
#
# It is built as PATH.making/tree and then renamed, so that PATH is always complete. A build that fails removes PATH.making, which may
# have filled the disk; the next build removes what a killed build has left.
set -eu
umask 022
# The host's uid and gid that the uid and gid 0 of root filesystems map to: SYSTEM_IDS of src/interface/spec.ts.
first=400000
path=$1 making=$1.making tree=$1.making/tree
if [ -d "$path" ]; then exit 0; fi
rm -rf --one-file-system -- "$making"
trap 'rm -rf --one-file-system -- "$making"' EXIT
mkdir "$making"
debian_tree "$2" "$making" "$3"
printf 'agent:x:1000:1000:agent:/home/agent:/bin/bash\n' >>"$tree/etc/passwd"
printf 'agent:x:1000:\n' >>"$tree/etc/group"
printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
chmod 755 "$tree/usr/sbin/policy-rc.d"
rm -rf -- "${tree:?}/dev" "$tree/etc/hostname" "$tree/etc/resolv.conf" "$tree/etc/machine-id"
# Shifts each owner into the range of ids of root filesystems. This also clears set-user-id bits.
find "$tree" -printf '%U %G\n' | sort -u | while read -r uid gid; do
  find "$tree" -uid "$uid" -gid "$gid" -exec chown -h "$((uid + first)):$((gid + first))" {} +
done
chmod 711 "$tree"
touch "$tree"
sync -f "$tree"
mv -T -- "$tree" "$path"
