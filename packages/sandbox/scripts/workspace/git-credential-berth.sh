#!/bin/sh
# git's credential helper in a sandbox. It returns credentials only for the exact URLs (protocol, host and path) of the session's
# repositories, and stores nothing: a rotated token takes effect at once, and the target of a redirect gets none. No secret is ever a
# program argument, since printf is a shell builtin.
#
# $1: the operation; any other than "get" is ignored.
# BERTH_GIT_CREDENTIALS: three lines for each repository: URL, user name, secret.
[ "${1-}" = get ] || exit 0
protocol='' host='' path=''
while IFS= read -r line && [ -n "$line" ]; do
  case $line in
    protocol=*) protocol=${line#*=} ;;
    host=*) host=${line#*=} ;;
    path=*) path=${line#*=} ;;
  esac
done
path=${path%/}
path=${path%.git}
printf '%s\n' "${BERTH_GIT_CREDENTIALS-}" |
while IFS= read -r url && IFS= read -r username && IFS= read -r secret; do
  [ "$url" = "$protocol://$host/$path" ] || continue
  printf 'username=%s\npassword=%s\n' "$username" "$secret"
  break
done
