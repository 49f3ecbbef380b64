# shellcheck shell=sh disable=SC2034 # $protocol is read by git of git.sh
# Makes git take the files of a clone that have a new owner for what its index says. Runs after git.sh.
#
# BERTH_CLONE_TARGET: the mount path. Standard input: take-over-index.pl.
set -u
protocol=https
[ "$(git -C "$BERTH_CLONE_TARGET" config --get extensions.objectformat || echo sha1)" = sha1 ] &&
  perl - "$BERTH_CLONE_TARGET" && exit 0
git -C "$BERTH_CLONE_TARGET" update-index -q --refresh
exit 0
