# shellcheck shell=sh
# Makes the tree of a runtime that the system of the sandbox has. Comes after begin.sh.
#
# $BASE: a line for each program: its name, and its absolute path.
printf '%s\n' "$BASE" | while read -r name path; do
  [ -x "$path" ] || {
    echo "the system of sandboxes has no $path"
    exit 1
  }
  ln -s "$path" "tree/bin/$name"
done
