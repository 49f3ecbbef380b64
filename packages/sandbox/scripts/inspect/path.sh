# shellcheck shell=sh
# A function for the scripts that read files of a sandbox, which follow this file.
#
# enter DIRECTORY  changes to the directory with that absolute path, and follows no symbolic link. Otherwise it exits with 41 when it does
#                  not exist, 44 when permissions do not allow it, 45 when it or a directory above is a link, 46 when it is no directory.
#
# After that "." stays the same directory, even if another one is moved to the path.
exec 2>/dev/null
export LC_ALL=C
enter() {
  rest=${1#/} at=''
  while [ -n "$rest" ]; do
    [ -d "${at:-/}" ] && [ ! -x "${at:-/}" ] && exit 44
    at=$at/${rest%%/*}
    [ -L "$at" ] && exit 45
    [ -e "$at" ] || exit 41
    case $rest in
      */*) rest=${rest#*/} ;;
      *) rest='' ;;
    esac
  done
  [ -d "$1" ] || exit 46
  cd -P -- "$1" || exit 44
  [ "$(pwd -P && echo .)" = "$1
." ] || exit 45
}
