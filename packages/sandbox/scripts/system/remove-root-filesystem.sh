# shellcheck shell=sh
# Removes a root filesystem that nobody uses. Runs while its lock is held. It renames it first, so that a partly removed one is never
# used.
#
# $1: its path. $2: minutes since the last start of a service that used it.
set -e
if [ -d "$1" ]; then
  # A service holds a shared lock on the directory while it runs.
  exec 9<"$1"
  if ! flock --nonblock 9; then exit 0; fi
  if [ "$2" != 0 ] && [ -z "$(find "$1" -maxdepth 0 -mmin "+$2")" ]; then exit 0; fi
  rm -rf --one-file-system -- "$1.making"
  mv -T -- "$1" "$1.making"
fi
rm -rf --one-file-system -- "$1.making" "$1.lock"
