# shellcheck shell=sh
# Removes a tree. Runs under its lock. The tree is renamed first, so that a half removed tree is never used.
#
# $1: path of the tree.
set -e
if [ -d "$1" ]; then rm -rf --one-file-system -- "$1.making"; mv -T -- "$1" "$1.making"; fi
rm -rf --one-file-system -- "$1.making" "$1.lock"
