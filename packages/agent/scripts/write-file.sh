# shellcheck shell=bash disable=SC2153
# Atomically replaces the content of a file with standard input, and keeps the file's mode. It makes missing directories, and follows a
# symbolic link, also one to a missing file. A file with several hard links is written in place, so that all of them stay the same file.
# Prints "created" or "overwritten".
#
# FILE: its path. TEMPORARY: name of a temporary file to make beside it. KNOWN: SHA-256 of the expected content; empty to accept any.
# Exit status: 41 a directory, 43 not a regular file, 46 its mode is read-only, 47 no permission, 48 its directory cannot be written, 49 a part
# of its path is no directory, 50 the links form a circle, 51 its content is another, 45 another error, which is printed. With 48 to 50 the
# path that the error is about is printed.

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
