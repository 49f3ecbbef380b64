# shellcheck shell=sh disable=SC2034 # $lfs is read by the scripts that follow
# Functions for the scripts that put files of Git LFS in place. Placed after git.sh, whose checkouts leave pointers instead of such files.
#
# DIRECTORY is a clone or a bare repository.
#
# uses_lfs DIRECTORY ARG     succeeds if a commit has files of Git LFS; with --cached, if the index has. The index is faster: it lists all
#                            paths, while a commit is walked tree by tree.
# lfs_at URL DIRECTORY       succeeds if the repository's LFS server is at the host of the URL. A repository may name any other server.
# copy_lfs MIRROR DIRECTORY  copies the LFS objects of HEAD from a bare repository. Fails if one is missing there.
# lfs_bytes DIRECTORY COMMIT prints the size of the commit's LFS files in bytes.
# fetch_lfs DIRECTORY ARG…   runs git with these arguments, up to four times while the LFS server is unavailable or limits requests.
#                            git-lfs itself tries again when a connection is lost, and when the server says how long to wait. Each attempt
#                            ends after $BERTH_LFS_SECONDS (default 1800).
# place_lfs URL DIRECTORY    replaces the pointers of HEAD by the files. Sets $lfs to the reason why some are missing: "absent" without
#                            git-lfs, "elsewhere" if their server is at another host, "refused" if it rejects the credential, "failed" if
#                            it does not send them; empty if none is missing.
in_repository() {
  if [ -e "$1/.git" ]; then set -- -C "$@"; else
    bare=$1
    shift
    set -- --git-dir="$bare" "$@"
  fi
  git "$@"
}
uses_lfs() { in_repository "$1" grep -q -e 'filter=lfs' "$2" -- ':(glob)**/.gitattributes' 2>/dev/null; }
lfs_at() {
  rest=${1#*://}
  case $(in_repository "$2" -c remote.origin.url="$1" lfs env 2>/dev/null | sed -n 's/^Endpoint=\([^ ]*\) .*/\1/p') in
    "${1%%://*}://${rest%%/*}"/*) ;;
    *) return 1 ;;
  esac
}
lfs_bytes() { in_repository "$1" lfs ls-files --debug "$2" | awk '$1 == "size:" { sum += $2 } END { printf "%d", sum }'; }
copy_lfs() {
  in_repository "$2" lfs ls-files --debug HEAD | sed -n 's/^ *oid: sha256 \(\(..\)\(..\)[0-9a-f]*\)$/\2\/\3 \1/p' |
    while read -r place oid; do
      mkdir -p -- "$2/.git/lfs/objects/$place" && cp -- "$1/lfs/objects/$place/$oid" "$2/.git/lfs/objects/$place/$oid" || exit 1
    done
}
fetch_lfs() {
  for pause in 1 2 4 ''; do
    said=$(limit="timeout ${BERTH_LFS_SECONDS:-1800}" && in_repository "$@" 2>&1 >/dev/null </dev/null) && return 0
    case $said in *'Server error'* | *'Rate limit exceeded'*) ;; *) return 1 ;; esac
    [ -n "$pause" ] && sleep "$pause"
  done
  return 1
}
place_lfs() {
  lfs=''
  if ! uses_lfs "$2" --cached; then return; fi
  if ! command -v git-lfs >/dev/null; then
    lfs=absent
  elif ! lfs_at "$1" "$2"; then
    lfs=elsewhere
  elif ! fetch_lfs "$2" lfs pull; then
    lfs=failed
    [ ! -d "$BERTH_GIT_REFUSED" ] || lfs=refused
  fi
}
