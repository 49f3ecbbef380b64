# shellcheck shell=bash
# Prints how many leading parts of a path, taken literally, are folders or links to folders; then what the whole path is: "folder",
# "file" for anything else that exists, or "nothing".
#
# FOLDER: the folder that the path is relative to. REST: the path, with single slashes.
# Exit status: 39 FOLDER is a file, 40 there is no such folder.

[ -f "$FOLDER" ] && exit 39
cd "$FOLDER" 2>/dev/null || exit 40
count=0
while :; do
  case $REST in */*) ;; *) break ;; esac
  cd "./${REST%%/*}" 2>/dev/null || break
  REST=${REST#*/}
  count=$((count + 1))
done
kind=nothing
if [ -d "./$REST" ]; then kind="folder"; elif [ -e "./$REST" ] || [ -L "./$REST" ]; then kind="file"; fi
echo "$count $kind"
