#!/bin/sh
# bubblewrap 0.8.0 (Debian 12): each bind reads the whole list of mounts anew, so a sandbox of many binds costs their square.
#
# A bind is followed by a remount with the flags that the sandbox needs, of the bind and of what is mounted below it. To find that, bwrap
# opens /proc/self/mountinfo once for each --bind or --ro-bind, and the list is longer each time. One would expect one reading, or
# none for a file, below which nothing can be mounted. Hiding twenty files of /proc by binds is so a good part of a sandbox's start.
#
# Seen, for binds of an empty directory:
#   1 bind: mountinfo opened 2 times
#   10 binds: mountinfo opened 11 times
#   40 binds: mountinfo opened 41 times
#
# Takes the packages from the Debian sources that this machine uses; nothing is installed. Needs a user that may create namespaces.
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
(apt-get update -qq $options && apt-get download -qq $options bubblewrap strace libunwind8) >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" unpacked; done
test "$(unpacked/usr/bin/bwrap --version)" = "bubblewrap 0.8.0"
LD_LIBRARY_PATH=$(dirname "$(find "$PWD/unpacked" -name 'libunwind.so.8' | head -n 1)")
export LD_LIBRARY_PATH
mkdir empty
for count in 1 10 40; do
  set --
  number=0
  while [ "$number" -lt "$count" ]; do
    mkdir -p "to-$number"
    set -- "$@" --bind "$work/empty" "$work/to-$number"
    number=$((number + 1))
  done
  unpacked/usr/bin/strace -f -qq -e trace=openat -o calls unpacked/usr/bin/bwrap --dev-bind / / "$@" true
  binds=binds
  [ "$count" -gt 1 ] || binds=bind
  echo "$count $binds: mountinfo opened $(grep -c mountinfo calls) times"
done | tee seen.txt
cmp - seen.txt <<'SEEN'
1 bind: mountinfo opened 2 times
10 binds: mountinfo opened 11 times
40 binds: mountinfo opened 41 times
SEEN
