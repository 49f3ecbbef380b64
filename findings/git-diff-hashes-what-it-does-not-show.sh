#!/bin/sh
# git 2.39.5 (Debian 12): a diff hashes every changed file of the work tree whole, also those of which it only says that they differ.
#
# `core.bigFileThreshold` makes larger files binary without a look at them, and the attribute `-diff` any file. For such a file the patch is
# one sentence, yet its `index` line has the name that the content would have, so all of it is read and hashed; --stat and --numstat
# pay for it as well, though they print no name. A sparse file costs as much as a full one. One would expect a file that is not
# compared not to be read. --name-status and --raw do not read it.
#
# Seen, for an untracked file (add --intent-to-add) of 256 MiB, with core.bigFileThreshold=1m and -diff:
#   --name-status: not read
#   --raw: not read
#   --numstat: read
#   --stat: read
#   --patch: read
#
# Read is more than a tenth of the processor time that `git hash-object` takes for it. Takes the package from the Debian sources that this
# machine uses; nothing is installed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# shellcheck disable=SC2016 # apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
mkdir -p sources lists/partial
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >sources/debian.list
options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$work/sources -o Dir::State::lists=$work/lists
  -o Dir::Cache=$work -o APT::Sandbox::User=root"
# shellcheck disable=SC2086 # several options
(apt-get update -qq $options && apt-get download -qq $options git && dpkg -x git_*.deb unpacked) >/dev/null 2>&1
export GIT_EXEC_PATH="$work/unpacked/usr/lib/git-core" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
git=$work/unpacked/usr/bin/git
test "$($git version)" = "git version 2.39.5"
$git init -q --template= repository
cd repository
truncate -s 256M big
echo 'big -diff' >.gitattributes
$git config core.bigFileThreshold 1m
$git add --intent-to-add big
seconds() { perl -e 'open STDOUT, ">/dev/null"; system @ARGV; printf STDERR "%.2f", (times)[2]' "$@" 2>&1; }
whole=$(seconds "$git" hash-object big)
for form in --name-status --raw --numstat --stat --patch; do
  took=$(seconds "$git" diff "$form")
  echo "$form: $(perl -e 'print $ARGV[0] > $ARGV[1] / 10 ? "read" : "not read"' "$took" "$whole")"
done | tee ../seen.txt
cmp - ../seen.txt <<'SEEN'
--name-status: not read
--raw: not read
--numstat: read
--stat: read
--patch: read
SEEN
