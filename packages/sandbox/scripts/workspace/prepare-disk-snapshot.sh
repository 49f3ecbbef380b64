# shellcheck shell=sh
# Prepares the disk of the sandbox for a snapshot.
#
# Arguments: the mount paths of the clones.
# BERTH_OTHERS: a command that prints a path on the disk that does not belong to a clone, if there is one.
# Exit status: 1 when there is one, or when the disk cannot be prepared.
#
# Reflogs contain the name of a person, so they are moved to memory during the snapshot; end-disk-snapshot.sh puts them back.
set -u
others=$(eval "$BERTH_OTHERS") || exit 1
[ -z "$others" ] || exit 1
aside=/dev/shm/berth-logs
mkdir -p -- "$aside" || exit 1
number=0
for clone; do
  number=$((number + 1))
  [ -d "$clone/.git" ] || exit 1
  if [ -d "$clone/.git/logs" ]; then mv -- "$clone/.git/logs" "$aside/$number" || exit 1; fi
done
for clone; do sync -f "$clone" || exit 1; done
