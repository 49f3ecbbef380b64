# shellcheck shell=sh
# Puts standard input at a path as a read-only file, under another name until it is complete.
#
# TARGET: the path. Its directories are made when missing.
umask 022
placing=${TARGET%/*}/.${TARGET##*/}.placing
mkdir -p -- "${TARGET%/*}" && rm -f -- "$placing" &&
  cat >"$placing" && chmod 444 -- "$placing" && mv -fT -- "$placing" "$TARGET"
