# shellcheck shell=sh
# Builds a Debian root filesystem. Runs while its lock is held.
#
# $1: its path. $2: Debian suite. $3: packages, separated by commas. $4: the host uid and gid that its uid and gid 0 map to.
# $5...: source lists in the format of mmdebstrap; default: Debian's own servers.
#
# It is built as PATH.making and then renamed, so that PATH is always complete. A build that fails removes PATH.making, which may
# have filled the disk; the next build removes what a killed build has left.
set -eu
umask 022
path=$1 suite=$2 packages=$3 first=$4 making=$1.making; shift 4
if [ -d "$path" ]; then exit 0; fi
rm -rf --one-file-system -- "$making"
trap 'rm -rf --one-file-system -- "$making"' EXIT
mmdebstrap --quiet --mode=root --variant=apt --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='APT::Install-Recommends "false"' \
  "$suite" "$making" "$@"
printf 'agent:x:1000:1000:agent:/home/agent:/bin/bash\n' >>"$making/etc/passwd"
printf 'agent:x:1000:\n' >>"$making/etc/group"
printf '#!/bin/sh\nexit 101\n' >"$making/usr/sbin/policy-rc.d"
chmod 755 "$making/usr/sbin/policy-rc.d"
rm -rf -- "${making:?}/dev" "$making/etc/hostname" "$making/etc/resolv.conf" "$making/etc/machine-id"
# Shifts each owner into the range of ids of root filesystems. This also clears set-user-id bits.
find "$making" -printf '%U %G\n' | sort -u | while read -r uid gid; do
  find "$making" -uid "$uid" -gid "$gid" -exec chown -h "$((uid + first)):$((gid + first))" {} +
done
chmod 711 "$making"
sync -f "$making"
mv -T -- "$making" "$path"
