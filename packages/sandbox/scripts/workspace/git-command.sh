#!/bin/sh
# Runs git. In a session with co-authors, `git commit` adds a line for each to the message, unless the message has it. It uses no hook,
# since hooks belong to repositories.
#
# /etc/gitconfig: berth.coAuthor, "NAME <EMAIL>", once for each.
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
if [ "${argument-}" = commit ] && authors=$("$real" config --file /etc/gitconfig --includes --get-all berth.coAuthor 2>/dev/null); then
  for argument; do
    shift
    set -- "$@" "$argument"
    position=$((position - 1))
    if [ "$position" -eq 0 ]; then
      while IFS= read -r author; do
        set -- "$@" --trailer "Co-authored-by: $author"
      done <<END
$authors
END
    fi
  done
fi
exec "$real" "$@"
