#!/bin/sh
# git's credential helper in a sandbox. It returns the first credential whose URL (protocol, host and path) equals the requested one, or
# ends in a slash and is a prefix of it. A rotated token takes effect at once, and the target of a redirect gets none. For the LFS server
# of a repository, the requested URL is the repository's. No secret is ever a program argument, since printf is a shell builtin.
#
# It stores no credential, only digests of those that a host refused (git's "erase"). They are not returned again for the same URL, since
# git-lfs asks again after each refusal. Refusals by the LFS server are stored separately from those of git's own requests, since both
# use the repository's URL.
#
# $1: the operation; any other than "get" and "erase" is ignored.
# BERTH_GIT_CREDENTIALS: three lines for each credential: URL, user name, secret.
# BERTH_GIT_CREDENTIALS_VERSION: a text that changes when a secret is rotated, even if its placeholder stays the same.
# BERTH_GIT_REFUSED: the directory of the digests. Default: one that lasts as long as the sandbox.
case ${1-} in get | erase) ;; *) exit 0 ;; esac
protocol='' host='' path='' password=''
while IFS= read -r line && [ -n "$line" ]; do
  case $line in
    protocol=*) protocol=${line#*=} ;;
    host=*) host=${line#*=} ;;
    path=*) path=${line#*=} ;;
    password=*) password=${line#*=} ;;
  esac
done
path=${path%/}
location=$protocol://$host/$path
path=${path%/info/lfs}
path=${path%.git}
asked=$protocol://$host/$path
refused=${BERTH_GIT_REFUSED:-/dev/shm/berth-refused}
# Prints " (Git LFS)" if git-lfs asks. It does so through "git credential", possibly with a shell in between.
client() {
  process=$$
  for _ in 1 2 3 4; do
    read -r _ name _ process _ 2>/dev/null <"/proc/$process/stat" || return 0
    if [ "$name" = '(git-lfs)' ]; then printf ' (Git LFS)'; fi
  done
}
mark() {
  location=$location$(client)
  digest=$(printf '%s\n' "$location" "$username" "$secret" "${BERTH_GIT_CREDENTIALS_VERSION-}" | sha256sum)
  mark=$refused/${digest%% *}
}
printf '%s\n' "${BERTH_GIT_CREDENTIALS-}" |
while IFS= read -r url && IFS= read -r username && IFS= read -r secret; do
  case $url in
    */) case $asked in "$url"?*) ;; *) continue ;; esac ;;
    *) [ "$url" = "$asked" ] || continue ;;
  esac
  if [ "$1" = erase ]; then
    if [ "$password" = "$secret" ]; then mark && mkdir -p -- "$refused" && : >"$mark"; fi
  elif [ -d "$refused" ] && mark && [ -e "$mark" ]; then
    printf 'The host refused this credential for %s. It is not used again until it is rotated.\n' "$location" >&2
  else
    printf 'username=%s\npassword=%s\n' "$username" "$secret"
  fi
  break
done
