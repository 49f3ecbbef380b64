# shellcheck shell=sh
# Makes the disk of the sandbox ready for a snapshot.
#
# Arguments: the mount paths of the clones.
# BERTH_OTHERS: a command that prints a path on the disk that does not belong to them.
# Exit status: 1 when there is one, or the disk cannot be made ready.
#
# The reflogs name a person, so they are in the memory of the sandbox meanwhile; see end-disk-snapshot.sh.
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
