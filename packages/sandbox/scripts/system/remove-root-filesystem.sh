# shellcheck shell=sh
# Removes a root filesystem. Runs while its lock is held. It renames it first, so that a partly removed one is never used.
#
# $1: its path.
set -e
if [ -d "$1" ]; then rm -rf --one-file-system -- "$1.making"; mv -T -- "$1" "$1.making"; fi
rm -rf --one-file-system -- "$1.making" "$1.lock"
