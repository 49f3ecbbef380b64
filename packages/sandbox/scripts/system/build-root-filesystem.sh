# shellcheck shell=sh
# Builds a Debian tree. Runs under the lock of the tree.
#
# $1: path of the tree. $2: Debian suite. $3: packages, separated by commas. $4: host uid and gid that 0 maps to in the tree.
# $5...: sources, as mmdebstrap takes them; default Debian's own.
#
# The tree is built as TREE.making and then renamed, so a tree is always complete. A build that fails removes TREE.making,
# which may be what filled the disk; one that was killed leaves it to the next build.
set -eu
umask 022
tree=$1 suite=$2 packages=$3 first=$4 making=$1.making; shift 4
if [ -d "$tree" ]; then exit 0; fi
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
# Each file goes to the same owner in the range of the trees. That also takes set-user-id off.
find "$making" -printf '%U %G\n' | sort -u | while read -r uid gid; do
  find "$making" -uid "$uid" -gid "$gid" -exec chown -h "$((uid + first)):$((gid + first))" {} +
done
chmod 711 "$making"
sync -f "$making"
mv -T -- "$making" "$tree"
