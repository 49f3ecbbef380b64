# shellcheck shell=sh
# Removes a file. A directory at its path stays. It is no error if nothing is there.
#
# TARGET: the path.
[ -d "$TARGET" ] && [ ! -L "$TARGET" ] || rm -f -- "$TARGET" || [ ! -e "$TARGET" ]
