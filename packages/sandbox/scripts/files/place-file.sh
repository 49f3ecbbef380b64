# shellcheck shell=sh
# Writes its standard input to a read-only file, which has another name until it is complete.
#
# TARGET: its path. Missing directories are made.
umask 022
placing=${TARGET%/*}/.${TARGET##*/}.placing
mkdir -p -- "${TARGET%/*}" && rm -f -- "$placing" &&
  cat >"$placing" && chmod 444 -- "$placing" && mv -fT -- "$placing" "$TARGET"
