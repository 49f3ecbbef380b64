# shellcheck shell=sh
# Gives the clones their reflogs back; see prepare-disk-snapshot.sh.
#
# Arguments: the mount paths of the clones.
# Exit status: 1 when one did not get them.
set -u
aside=/dev/shm/berth-logs
number=0
for clone; do
  number=$((number + 1))
  if [ -d "$aside/$number" ]; then mv -- "$aside/$number" "$clone/.git/logs" || exit 1; fi
done
rm -rf -- "$aside"
