# shellcheck shell=sh disable=SC2034 # $protocol is read by git of git.sh
# Updates the index of a clone whose files have a new owner, so that git does not read them all again. Placed after git.sh.
#
# BERTH_CLONE_TARGET: the mount path. Standard input: take-over-index.pl.
set -u
protocol=https
[ "$(git -C "$BERTH_CLONE_TARGET" config --get extensions.objectformat || echo sha1)" = sha1 ] &&
  perl - "$BERTH_CLONE_TARGET" && exit 0
git -C "$BERTH_CLONE_TARGET" update-index -q --refresh
exit 0
