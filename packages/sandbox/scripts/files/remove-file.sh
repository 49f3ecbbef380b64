# shellcheck shell=sh
# Removes a file. A directory at its path stays, and nothing there is no error.
#
# TARGET: the path.
[ -d "$TARGET" ] && [ ! -L "$TARGET" ] || rm -f -- "$TARGET" || [ ! -e "$TARGET" ]
