# shellcheck shell=sh disable=SC2034 # $base is read by the scripts that follow
# Functions for the scripts that read a clone, which follow this file and path.sh.
#
# open_clone DIRECTORY  makes $view, a git directory with the objects, references, index and exclusions of the clone, but without its
#                       configuration, hooks and attributes, so that no program that these name runs. It writes nothing in the clone.
#                       Otherwise it exits with 50 when there is no clone, 51 when there is no git, 52 when there is no space for the view.
# look ARGUMENT...      runs git on that view, with the files of the clone as its work tree.
# include_untracked     adds the untracked files, at most $MOST_UNTRACKED, to the index of the view. For files that take too long to compare
#                       the index has $mark, a blob of one NUL, so that git treats them as binary and does not read them. $view/large lists
#                       them.
# large MOST TOGETHER   reads paths from standard input, each ended by a NUL, and prints those of large files; see large-files.pl. Prints
#                       nothing without perl.
# compare ARGUMENT...   runs git diff-index, which compares a commit or a tree with the work tree.
#
# find_base             sets $base to what to compare with; empty when the clone does not have it.
#
# BASE: the commit that was cloned; empty for a repository without one. LARGE_FILES: the text of large-files.pl. MOST_FILE, MOST_TOGETHER:
# the largest size in bytes of one file, and of all files together, for a comparison.
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
  tree=$1 format=sha1 empty_blob=e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 mark=f76dd238ade08917e6712764a16a22005a50573d
  if [ "${#BASE}" -eq 64 ]; then
    format=sha256 empty_blob=473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813
    mark=449e9b795420cd16fe60ad5298cf680f15a7cd2ac9b44adaf7ed3edc0d08dd78
  fi
  mkdir "$view/info" "$view/own" || exit 52
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
    printf '\tbigFileThreshold = %s\n' "$MOST_FILE"
    printf '[extensions]\n\tobjectFormat = %s\n' "$format"
  } >"$view/config" || exit 52
}
look() {
  GIT_DIR=$view GIT_WORK_TREE=$tree GIT_ALTERNATE_OBJECT_DIRECTORIES=$view/own GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 \
    GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1 GIT_TERMINAL_PROMPT=0 \
    command git --no-pager "$@"
}
large() {
  ! command -v perl >/dev/null || perl -e "$LARGE_FILES" "$1" "$2" "$mark"
}
hide_large() {
  [ -s "$view/large" ] || return 0
  printf '\0' | GIT_OBJECT_DIRECTORY=$view/own look hash-object -w --stdin >"$view/mark" &&
    look update-index -z --index-info <"$view/large" &&
    sed -z 's/^[^\t]*\t//' "$view/large" | look update-index -z --assume-unchanged --stdin
}
# diff-files compares times and sizes, "update-index --refresh" contents. A name that ends in a slash is a repository inside the clone.
include_untracked() {
  look ls-files -z --others --exclude-standard | sed -z "${MOST_UNTRACKED}q" >"$view/others" || return 1
  {
    cat "$view/others"
    [ ! -e "$view/index" ] || look diff-files --name-only -z --ignore-submodules
  } | large "$MOST_FILE" "$MOST_TOGETHER" >"$view/large"
  hide_large || return 1
  [ ! -e "$view/index" ] || look update-index -q --refresh --unmerged --ignore-submodules >&2
  sed -z -e "/\/\$/{s|/\$||;s|^|160000 $empty_blob 0\t|;b}" -e "s|^|100644 $empty_blob 0\t|" "$view/others" |
    look update-index -z --index-info && hide_large
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
