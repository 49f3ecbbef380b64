import { systemIds } from "./system-owner.ts";

/**
 * Makes a tree whole under a name of its own, and then gives it its name. Runs under the tree's lock, so that what has the
 * other name is left by a build that died; one that fails removes it, as it may be what has filled the disk.
 *
 * Arguments: the tree, its suite, its packages by commas, then the lists of sources, if any.
 */
export const BUILD_TREE = `set -eu
umask 022
tree=$1 suite=$2 packages=$3 making=$1.making; shift 3
if [ -d "$tree" ]; then exit 0; fi
rm -rf --one-file-system -- "$making"
trap 'rm -rf --one-file-system -- "$making"' EXIT
mmdebstrap --quiet --mode=root --variant=apt --include="$packages" \\
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \\
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \\
  --dpkgopt='path-exclude=/usr/share/locale/*' --aptopt='APT::Install-Recommends "false"' \\
  "$suite" "$making" "$@"
printf 'agent:x:1000:1000:agent:/home/agent:/bin/bash\\n' >>"$making/etc/passwd"
printf 'agent:x:1000:\\n' >>"$making/etc/group"
printf '#!/bin/sh\\nexit 101\\n' >"$making/usr/sbin/policy-rc.d"
chmod 755 "$making/usr/sbin/policy-rc.d"
rm -rf -- "$making/dev" "$making/etc/hostname" "$making/etc/resolv.conf" "$making/etc/machine-id"
# Each file goes to the same owner in the range of the trees. That also takes set-user-id off.
find "$making" -printf '%U %G\\n' | sort -u | while read -r uid gid; do
  find "$making" -uid "$uid" -gid "$gid" -exec chown -h "$((uid + ${systemIds.first})):$((gid + ${systemIds.first}))" {} +
done
chmod 711 "$making"
sync -f "$making"
mv -T -- "$making" "$tree"
`;
