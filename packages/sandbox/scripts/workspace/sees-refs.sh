# shellcheck shell=sh disable=SC2034 # $protocol is used by git.sh, which this follows
# Finds whether a clone has all objects that an earlier clone's HEAD, branches and tags name. It has what they reach, then, since a
# clone is complete.
#
# BERTH_PRESENT_CLONE, BERTH_FORMER_CLONE: their paths.
# Exit status: 0 when it has; anything else otherwise.
protocol=https
here() { git -C "$BERTH_PRESENT_CLONE" cat-file --batch-check='%(objectname)'; }
refs=$(git -C "$BERTH_FORMER_CLONE" for-each-ref --format='%(objectname)') &&
  head=$(git -C "$BERTH_FORMER_CLONE" rev-parse --verify --quiet HEAD) || exit 1
found=$(printf '%s\n' "$head" "$refs" | here) || exit 1
case $found in *missing*) exit 1 ;; esac
