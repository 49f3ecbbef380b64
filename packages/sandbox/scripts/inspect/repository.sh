# shellcheck shell=sh disable=SC2034 # $base is read by the scripts that follow
# Functions for the scripts that look at a clone, which follow this file and path.sh.
#
# open_clone DIRECTORY  makes $view, a git directory with the objects, references, index and exclusions of the clone, and none of its
#                       configuration, hooks and attributes: no program that these name is ever run. Nothing in the clone is written.
#                       Else it exits: 50 when there is no clone, 51 when there is no git, 52 when there is no room for it.
# look ARGUMENT...      runs git on that view, with the files of the clone as its work tree.
# include_untracked     adds the untracked files, at most $MOST_UNTRACKED, to the index of the view.
# compare ARGUMENT...   runs git diff-index, which compares a commit or a tree with the work tree.
#
# find_base             sets $base to what to compare with; empty when the clone does not have it.
#
# BASE: the commit that was cloned; empty for a repository that had none.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umask 077
unset IFS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY
copied() {
  [ -L "$1" ] && return 1
  [ -f "$1" ] || return 1
  dd if="$1" of="$2" bs=1048576 count="$3" iflag=nofollow,nonblock,fullblock status=none
}
shared() { if [ -e "$1" ] && [ ! -L "$1" ]; then ln -s "$PWD/$1" "$view/${1##*/}"; fi; }
open_clone() {
  enter "$1"
  [ -L .git ] && exit 50
  { [ -d .git/objects ] && [ -d .git/refs ] && [ -f .git/HEAD ]; } || exit 50
  { [ -L .git/objects ] || [ -L .git/refs ] || [ -L .git/info ]; } && exit 50
  command -v git >/dev/null || exit 51
  view=$(mktemp -d /dev/shm/.berth-view-XXXXXXXX || mktemp -d /tmp/.berth-view-XXXXXXXX) || exit 52
  trap 'rm -rf "$view"' EXIT
  trap 'exit 1' HUP INT TERM
  tree=$1 format=sha1 empty_blob=e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
  if [ "${#BASE}" -eq 64 ]; then
    format=sha256 empty_blob=473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813
  fi
  mkdir "$view/info" || exit 52
  shared .git/objects
  shared .git/refs
  [ ! -f .git/packed-refs ] || shared .git/packed-refs
  copied .git/HEAD "$view/HEAD" 1 || exit 50
  if [ -L .git/index ]; then exit 50; fi
  if [ -e .git/index ]; then copied .git/index "$view/index" 1024 || exit 52; fi
  copied .git/shallow "$view/shallow" 16
  copied .git/info/exclude "$view/info/exclude" 1
  {
    printf '[core]\n\trepositoryformatversion = 1\n\tbare = false\n\ttrustctime = false\n\tcheckStat = minimal\n'
    printf '[extensions]\n\tobjectFormat = %s\n' "$format"
  } >"$view/config" || exit 52
}
look() {
  GIT_DIR=$view GIT_WORK_TREE=$tree GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 \
    GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1 GIT_TERMINAL_PROMPT=0 \
    command git --no-pager "$@"
}
# A file whose name ends in a slash is a repository within the clone.
include_untracked() {
  [ ! -e "$view/index" ] || look update-index -q --refresh --unmerged --ignore-submodules >&2
  look ls-files -z --others --exclude-standard | sed -z "${MOST_UNTRACKED}q" |
    sed -z -e "/\/\$/{s|/\$||;s|^|160000 $empty_blob 0\t|;b}" -e "s|^|100644 $empty_blob 0\t|" |
    look update-index -z --index-info
}
compare() {
  look diff-index --find-renames -l500 --no-ext-diff --no-textconv --ignore-submodules=dirty --no-color "$@"
}
find_base() {
  if [ -z "$BASE" ]; then
    base=$(look hash-object -t tree /dev/null)
  else
    base=$(look rev-parse --verify -q "$BASE^{commit}")
  fi
}
