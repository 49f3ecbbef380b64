#!/bin/sh
# gh 2.23.0 and 2.46.0 (Debian 12 and 13): which variable has the token for a host below ghe.com depends on the version.
#
# gh takes GH_TOKEN for github.com, and GH_ENTERPRISE_TOKEN for servers of one's own. Hosts below ghe.com, which GitHub itself runs, were
# of the second kind and became of the first. A program that sets one of the two is logged in with one version and sends the
# other's token, or none, with the next. Set both for such a host.
#
# Seen, with GH_TOKEN=one and GH_ENTERPRISE_TOKEN=two:
#   2.23.0: gh auth token --hostname acme.ghe.com -> two
#   2.46.0: gh auth token --hostname acme.ghe.com -> one
#
# Takes the packages from the Debian sources that this machine uses; nothing is installed, and gh connects to nothing.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# shellcheck disable=SC2016 # apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
for release in bookworm trixie; do
  mkdir -p $release/sources $release/lists/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >$release/sources/debian.list
  options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$work/$release/sources -o Dir::State::lists=$work/$release/lists
    -o Dir::Cache=$work/$release -o APT::Sandbox::User=root"
  # shellcheck disable=SC2086 # several options
  (cd $release && apt-get update -qq $options && apt-get download -qq $options gh && dpkg -x gh_*.deb gh) >/dev/null 2>&1
  gh=$release/gh/usr/bin/gh
  version=$($gh --version | sed -n '1s/gh version \([0-9.]*\).*/\1/p')
  token=$(GH_TOKEN=one GH_ENTERPRISE_TOKEN=two GH_CONFIG_DIR="$work/none" $gh auth token --hostname acme.ghe.com)
  echo "$version: gh auth token --hostname acme.ghe.com -> $token"
done | tee seen.txt
cmp - seen.txt <<'SEEN'
2.23.0: gh auth token --hostname acme.ghe.com -> two
2.46.0: gh auth token --hostname acme.ghe.com -> one
SEEN
