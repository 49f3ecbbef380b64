# shellcheck shell=sh
# Puts the reflogs back into the clones; see prepare-disk-snapshot.sh.
#
# Arguments: the mount paths of the clones.
# Exit status: 1 when that failed for a clone.
set -u
aside=/dev/shm/berth-logs
number=0
for clone; do
  number=$((number + 1))
  if [ -d "$aside/$number" ]; then mv -- "$aside/$number" "$clone/.git/logs" || exit 1; fi
done
rm -rf -- "$aside"
