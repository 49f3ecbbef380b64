# shellcheck shell=bash disable=SC2016 # the inner shell expands its script
# Lists files with ripgrep, newest first. Prints two NUL-terminated texts for each: its name, and the target if it is a symbolic link.
# Then a NUL and ripgrep's standard error.
#
# FOLDER: where to look. COUNT: number of globs. GLOB_1 and so on: the globs, of which one must match. FIRST: the largest number of files.
# Exit status: 40 no such folder.
#
# Links to files are listed. Links to folders are excluded by the last globs: their files have another name already or are outside FOLDER,
# and such links may form a circle. If there are too many to exclude, and at the top of the filesystem, no link is followed.

cd "$FOLDER" 2>/dev/null || exit 40
most=5000
set -- --files --hidden --no-ignore --null --sortr modified --no-messages
place=1
while [ "$place" -le "$COUNT" ]; do
  eval "set -- \"\$@\" --glob \"\$GLOB_$place\""
  place=$((place + 1))
done
set -- "$@" --glob '!**/.git'
links=$(mktemp) || exit 45
trap 'rm -f "$links"' EXIT
case $PWD in
# Links in these lead to everywhere.
/ | /proc | /proc/* | /sys | /sys/*) most=-1 ;;
*)
  find . -name .git -prune -o -type l '(' -xtype d -o -xtype l ')' -printf '%P\0' 2>/dev/null |
    head -z -n "$((most + 1))" | sed -z 's/[][*?{}\\]/\\&/g; s|^|--glob=!/|' >"$links" ;;
esac
if [ "$(tr -cd '\0' <"$links" | wc -c)" -le "$most" ]; then set -- --follow "$@"; else : >"$links"; fi
exec 3>&1
errors=$( {
  xargs -0 -x -s 1000000 rg --no-config "$@" <"$links" | head -z -n "$FIRST" |
    xargs -0 -r sh -c 'for name do printf "%s\0" "$name"; if [ -L "$name" ]; then readlink -n -- "$name"; fi; printf "\0"; done' sh >&3
} 2>&1 )
printf '\0%s' "$errors"
