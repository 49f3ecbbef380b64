# shellcheck shell=sh
# Unpacks a root filesystem. Runs while its lock is held.
#
# $1: its path. Standard input: a tar archive with one directory, of the same name.
#
# It becomes PATH only when it is complete. Whoever made the archive decides what sandboxes run, but gets nothing on the host: files
# that belong to other ids than those of root filesystems, or have set-user-id bits, are refused.
set -eu
umask 022
first=400000 count=65536
path=$1 making=$1.making tree=$1.making/${1##*/}
if [ -d "$path" ]; then
  cat >/dev/null
  exit 0
fi
rm -rf --one-file-system -- "$making"
trap 'rm -rf --one-file-system -- "$making"' EXIT
mkdir "$making"
tar --extract --numeric-owner --same-owner --preserve-permissions --directory="$making"
if [ ! -d "$tree" ]; then
  echo "the archive has $(find "$making" -mindepth 1 -maxdepth 1 -printf '%f\n' -quit), and this Berth needs ${1##*/}" >&2
  exit 1
fi
last=$((first + count - 1))
foreign=$(find "$tree" \( -uid "-$first" -o -uid "+$last" -o -gid "-$first" -o -gid "+$last" -o -type b -o -type c -o \( -type f -perm /6000 \) \) -print -quit)
if [ -n "$foreign" ]; then
  echo "the archive has a file that no root filesystem has: ${foreign#"$tree"}" >&2
  exit 1
fi
chmod 711 "$tree"
touch "$tree"
sync -f "$tree"
mv -T -- "$tree" "$path"
