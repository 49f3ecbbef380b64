# shellcheck shell=sh disable=SC2034,SC2209 # $protocol is read by git of git.sh
# Makes a clone from a mirror that equals a fresh clone of the URL, with its own copy of all objects. Placed after git.sh,
# lfs.sh and settle.sh.
#
# BERTH_MIRROR_DIRECTORY: the mirror. BERTH_SNAPSHOT_DIRECTORY: the path of the clone; it must not exist.
# BERTH_SNAPSHOT_BYTES: limit in bytes, of the objects and of the checked out files separately. BERTH_SNAPSHOT_FILES: limit of the
# number of files and directories. BERTH_CLONE_URL, BERTH_CLONE_HEAD, BERTH_CLONE_BRANCH, BERTH_CLONE_COMMIT: see settle.sh.
# Output: "built COMMIT KIBIBYTES". Each file counts 4 KiB in addition to its blocks, since the number of files is limited, too.
# Exit status: 1 when git fails, 80 when a limit is exceeded, 81 when the mirror lacks a file of Git LFS, 82 when the branch or commit is
# missing, 83 when a checked out file differs from the commit.
#
# The clone uses git's protocol and does not copy files, so that it gets only the objects that the mirror's refs reach. The index is
# written again a second after the files, since each git command rereads files whose time is in the same second as the index.
set -u
exec 3>&1 >/dev/null 2>&1
protocol=file
work=$BERTH_SNAPSHOT_DIRECTORY
[ "$(du -sk "$BERTH_MIRROR_DIRECTORY" | cut -f1)" -le "$((BERTH_SNAPSHOT_BYTES / 1024))" ] || exit 80
git clone -q --no-local --no-checkout --template= -- "file://$BERTH_MIRROR_DIRECTORY" "$work" || exit 1
target=${BERTH_CLONE_COMMIT:-refs/remotes/origin/$BERTH_CLONE_BRANCH}
here rev-parse --verify --quiet "$target^{commit}" || exit 82
here ls-tree -r -t -l --full-tree "$target" | awk -v bytes="$BERTH_SNAPSHOT_BYTES" -v files="$BERTH_SNAPSHOT_FILES" '
  { sum += $2 == "tree" ? 4096 : $4; if (sum > bytes || NR > files) exit 1 }' || exit 80
settle || exit 1
if uses_lfs "$work" --cached; then
  [ "$(lfs_bytes "$work" HEAD)" -le "$BERTH_SNAPSHOT_BYTES" ] || exit 80
  if ! copy_lfs "$BERTH_MIRROR_DIRECTORY" "$work" || ! here lfs checkout; then exit 81; fi
fi
sleep 1
here update-index -q --refresh --force-write-index || exit 1
[ -z "$(here status --porcelain)" ] || exit 83
sync -f "$work" || exit 1
files=$(du -s --inodes "$work" | cut -f1) kibibytes=$(du -sk "$work" | cut -f1)
printf 'built %s %s\n' "$(here rev-parse HEAD)" "$((kibibytes + files * 4))" >&3
