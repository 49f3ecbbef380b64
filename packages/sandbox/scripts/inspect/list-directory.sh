# shellcheck shell=sh
# Lists a directory, ordered by the bytes of the names. Runs after path.sh.
#
# DIRECTORY: its path. MOST: the largest number of entries. AFTER: a regular expression of sed for a name; only entries after that name are
# listed. AFTER_NAME: the same name in the format of printf %b. Both are empty for the first entries. The name need not exist any more.
#
# Prints for each entry these fields, each ended by a NUL: type as find prints it, permissions in octal, size in bytes, time of the last
# change, name, and the target of a link. Then "end".
# Exit status: as enter in path.sh.
enter "$DIRECTORY"
[ -r . ] && [ -x . ] || exit 44
{
  find . -mindepth 1 -maxdepth 1 -printf '%f\0'
  [ -z "$AFTER" ] || printf '%b\0' "$AFTER_NAME"
} | sort -zu | { if [ -n "$AFTER" ]; then sed -z "0,/^$AFTER\$/d"; else cat; fi; } | sed -z "s|^|./|;${MOST}q" |
  xargs -0 -r sh -c 'exec find "$@" -maxdepth 0 -printf "%y\0%m\0%s\0%T@\0%f\0%l\0"' sh
printf 'end'
