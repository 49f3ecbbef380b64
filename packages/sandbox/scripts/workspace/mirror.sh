# shellcheck shell=sh
# Creates or updates a bare mirror with the branches and tags of a repository. Placed after git.sh and lfs.sh.
#
# BERTH_MIRROR_DIRECTORY: the mirror. BERTH_MIRROR_URL: the URL. BERTH_MIRROR_HEAD: full name of the branch that HEAD points
# to. BERTH_MIRROR_CHECKOUT: the branch or commit whose LFS files are fetched, too. BERTH_MIRROR_BYTES: limit of these files, in bytes.
# Files that cannot be fetched are left out. BERTH_MIRROR_BLOCKS: the largest size of a pack, in blocks of 512 bytes.
# Output: "size KIBIBYTES", a line "OBJECT NAME" for each branch and tag, and "done". If the fetch failed: "failed", and git's message.
#
# While the host is unavailable or drops connections, the fetch is tried a few times: the host served the repository a moment ago.
#
# git checks objects as they arrive, and stores them as one pack, whose size the shell limits. Malformed names and dates of a commit's or
# tag's people, and file modes with a leading zero, are accepted: they are harmless, git hosts accept them, too, and old history has them.
# Temporary files of a killed fetch are deleted first. If it left a lock, this fetch fails.
set -u
protocol_of "$BERTH_MIRROR_URL"
umask 022
# With XFSZ ignored, git is not killed at the size limit, but reports why it ends.
trap '' XFSZ
# It fails if the service's own limit is lower, which then holds.
ulimit -f "$BERTH_MIRROR_BLOCKS" 2>/dev/null || true
mirror=$BERTH_MIRROR_DIRECTORY
here() { git --git-dir="$mirror" "$@"; }
if [ ! -e "$mirror/HEAD" ]; then git init -q --bare --template= -- "$mirror" || exit 1; fi
find "$mirror/objects" -name 'tmp_*' -type f -delete
harmless='badDate badDateOverflow badEmail badName badTimezone missingEmail missingNameBeforeEmail missingSpaceBeforeDate
missingSpaceBeforeEmail multipleAuthors zeroPaddedDate zeroPaddedFilemode'
update() {
  set --
  for fault in $harmless; do set -- "$@" -c "fetch.fsck.$fault=ignore"; done
  here "$@" -c transfer.fsckObjects=true -c fetch.unpackLimit=1 fetch -q --no-tags --no-write-fetch-head --prune --force \
    --refmap= -- "$BERTH_MIRROR_URL" '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*' </dev/null 2>&1 >/dev/null
}
fail() {
  printf 'failed\n%s\n' "$said" | tail -c 4000
  exit 1
}
for pause in 1 2 4 ''; do
  said=$(update) && break
  case $said in
    *'returned error: 429'* | *'returned error: 5'* | *'unable to access'*onnection*) ;;
    *) fail ;;
  esac
  if [ -z "$pause" ]; then fail; fi
  sleep "$pause"
done
here symbolic-ref HEAD "$BERTH_MIRROR_HEAD" || exit 1
if [ "$(find "$mirror/objects/pack" -name '*.pack' | wc -l)" -gt 20 ]; then here repack -q -d -a >/dev/null 2>&1; fi
if uses_lfs "$mirror" "$BERTH_MIRROR_CHECKOUT" && command -v git-lfs >/dev/null && lfs_at "$BERTH_MIRROR_URL" "$mirror"; then
  if [ -d "$mirror/lfs" ] && [ "$(du -sk "$mirror/lfs" | cut -f1)" -gt "$((BERTH_MIRROR_BYTES / 1024))" ]; then rm -rf -- "$mirror/lfs"; fi
  if [ "$(lfs_bytes "$mirror" "$BERTH_MIRROR_CHECKOUT")" -le "$BERTH_MIRROR_BYTES" ]; then
    fetch_lfs "$mirror" -c remote.origin.url="$BERTH_MIRROR_URL" lfs fetch origin "$BERTH_MIRROR_CHECKOUT"
  fi
fi
echo "size $(du -sk "$mirror" | cut -f1)"
here for-each-ref --format='%(objectname) %(refname)' refs/heads refs/tags
echo "done"
