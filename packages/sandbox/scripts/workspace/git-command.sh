#!/bin/sh
# Runs git. In a session with a co-author, `git commit` adds a line for it to the message, unless the message has it. It uses no hook,
# since hooks belong to repositories.
#
# /etc/gitconfig: berth.coAuthor, "NAME <EMAIL>"; absent where there is none.
find_git() {
  IFS=:
  for directory in $PATH; do
    real=$directory/git
    if [ "$directory" != /opt/berth/bin ] && [ -x "$real" ]; then return; fi
  done
  echo "git: not found" >&2
  exit 127
}
old=${IFS-}
find_git
IFS=$old
position=0 takes=''
for argument; do
  position=$((position + 1))
  if [ -n "$takes" ]; then
    takes=''
    continue
  fi
  case $argument in
    -c | -C | --git-dir | --work-tree | --namespace | --config-env | --attr-source) takes=yes ;;
    -*) ;;
    *) break ;;
  esac
done
if [ "${argument-}" = commit ] && author=$("$real" config --file /etc/gitconfig --includes --get berth.coAuthor 2>/dev/null); then
  for argument; do
    shift
    set -- "$@" "$argument"
    position=$((position - 1))
    if [ "$position" -eq 0 ]; then set -- "$@" --trailer "Co-authored-by: $author"; fi
  done
fi
exec "$real" "$@"
