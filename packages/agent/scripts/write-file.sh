# shellcheck shell=bash disable=SC2153
# Replaces a file by standard input, atomically. It keeps its mode. Missing directories are made, a symbolic link is followed.
# Prints "created" or "overwritten".
#
# FILE: its path. TEMPORARY: name of a temporary file to make beside it.
# Exit status: 41 a directory, 43 not a regular file, 46 no permission, 45 another error, which is printed.

[ -d "$FILE" ] && exit 41
if [ -e "$FILE" ]; then
  [ -f "$FILE" ] || exit 43
  [ -w "$FILE" ] || exit 46
fi
mkdir -p "$(dirname "$FILE")" || exit 45
target=$(readlink -m "$FILE") || exit 45
temporary=$(dirname "$target")/$TEMPORARY
trap 'rm -f "$temporary"' EXIT
cat >"$temporary" || exit 45
word=created
if [ -e "$target" ]; then
  word=overwritten
  chmod --reference="$target" "$temporary" || exit 45
fi
mv -fT "$temporary" "$target" || exit 45
echo "$word"
