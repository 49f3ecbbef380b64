#!/bin/sh
# git's credential helper in a sandbox. It returns the first credential whose URL (protocol, host and path) is the requested one, or
# ends in a slash and begins the requested one, and stores nothing: a rotated token takes effect at once, and the target of a redirect
# gets none. The LFS server of a repository has its URL. No secret is ever a program argument, since printf is a shell builtin.
#
# $1: the operation; any other than "get" is ignored.
# BERTH_GIT_CREDENTIALS: three lines for each credential: URL, user name, secret.
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
path=${path%/info/lfs}
path=${path%.git}
asked=$protocol://$host/$path
printf '%s\n' "${BERTH_GIT_CREDENTIALS-}" |
while IFS= read -r url && IFS= read -r username && IFS= read -r secret; do
  case $url in
    */) case $asked in "$url"?*) ;; *) continue ;; esac ;;
    *) [ "$url" = "$asked" ] || continue ;;
  esac
  printf 'username=%s\npassword=%s\n' "$username" "$secret"
  break
done
