# shellcheck shell=sh
# Updates the clone at the mount path, a mounted snapshot, so that it equals a fresh clone of the URL. Placed after git.sh, lfs.sh
# and settle.sh.
#
# BERTH_CLONE_TARGET: the mount path. BERTH_CLONE_URL, BERTH_CLONE_HEAD, BERTH_CLONE_BRANCH, BERTH_CLONE_COMMIT: see settle.sh.
# BERTH_CLONE_REF: full name of a ref to check out instead; may be empty.
# Last line: "berth:done COMMIT BRANCH", as in clone.sh.
# Exit status: 1 when git fails, when a file of Git LFS is missing, or when the clone has objects that this credential cannot read.
#
# While the directory .git/berth-clone exists, the content of the mount path is incomplete; see clone.sh.
set -u
protocol_of "$BERTH_CLONE_URL"
work=$BERTH_CLONE_TARGET
own_work=$work/.git/berth-clone
mkdir -p -- "$own_work" || exit 1
shown() { here for-each-ref --format="$1%(objectname)" refs/remotes/origin refs/tags | sort -u; }
shown '' >"$own_work/before" || exit 1
here fetch --progress --no-tags --no-write-fetch-head --prune --force --refmap= -- "$BERTH_CLONE_URL" \
  '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' || exit 1
if [ -n "$BERTH_CLONE_REF" ]; then
  here fetch -q -- "$BERTH_CLONE_URL" "$BERTH_CLONE_REF" || exit 1
  BERTH_CLONE_COMMIT=$(here rev-parse --verify --quiet 'FETCH_HEAD^{commit}') || exit 1
fi
if [ -n "$BERTH_CLONE_COMMIT" ]; then
  here cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null || here fetch -q --no-write-fetch-head -- "$BERTH_CLONE_URL" "$BERTH_CLONE_COMMIT" || exit 1
fi
shown '' >"$own_work/now" && comm -23 "$own_work/before" "$own_work/now" >"$own_work/former" || exit 1
if [ -s "$own_work/former" ]; then
  shown '^' >>"$own_work/former"
  unseen=$( (here rev-list --objects --stdin <"$own_work/former" && echo none) | head -c 5) || exit 1
  [ "$unseen" = none ] || exit 1
fi
settle || exit 1
place_lfs "$BERTH_CLONE_URL" "$work"
[ -z "$lfs" ] || exit 1
rm -rf -- "$own_work" || exit 1
printf '\nberth:done %s %s\n' "$(here rev-parse --verify --quiet HEAD)" "$(here symbolic-ref -q --short HEAD)"
