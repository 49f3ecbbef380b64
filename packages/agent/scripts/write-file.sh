# shellcheck shell=bash disable=SC2153
# Replaces a file by standard input, atomically. It keeps its mode. Missing directories are made, a symbolic link is followed, also to a
# file that is missing. A file with several names is written in place, so that all of them stay names of it.
# Prints "created" or "overwritten".
#
# FILE: its path. TEMPORARY: name of a temporary file to make beside it. KNOWN: SHA-256 of what it is expected to hold; empty for anything.
# Exit status: 41 a directory, 43 not a regular file, 46 its mode is read-only, 47 no permission, 48 its directory cannot be written, 49 a part
# of its path is no directory, 50 the link leads in a circle, 51 it holds something else, 45 another error, which is printed. With 48 to 50 the
# path in question is printed.

[ -d "$FILE" ] && exit 41
target=$(readlink -m -- "$FILE")
if [ -e "$FILE" ]; then
  [ -f "$FILE" ] || exit 43
  if ! [ -w "$FILE" ]; then
    if [ -O "$FILE" ]; then exit 46; else exit 47; fi
  fi
  if [ -n "$KNOWN" ]; then
    now=$(sha256sum <"$FILE") || exit 45
    [ "${now%% *}" = "$KNOWN" ] || exit 51
  fi
elif [ -L "$target" ] || [ -z "$target" ]; then
  printf %s "$FILE"
  exit 50
fi
directory=$(dirname "$target")
if ! mkdir -p "$directory" 2>/dev/null; then
  while ! [ -e "$directory" ] && [ "$directory" != / ]; do directory=$(dirname "$directory"); done
  printf %s "$directory"
  if [ -d "$directory" ]; then exit 48; else exit 49; fi
fi
word=created
[ -e "$target" ] && word=overwritten
if [ "$word" = overwritten ] && { [ "$(stat -c %h "$target")" -gt 1 ] || ! [ -w "$directory" ]; }; then
  cat >"$target" || exit 45
  echo "$word"
  exit
fi
if ! [ -w "$directory" ]; then
  printf %s "$directory"
  exit 48
fi
temporary=$directory/$TEMPORARY
trap 'rm -f "$temporary"' EXIT
cat >"$temporary" || exit 45
if [ "$word" = overwritten ]; then chmod --reference="$target" "$temporary" || exit 45; fi
mv -fT "$temporary" "$target" || exit 45
echo "$word"
