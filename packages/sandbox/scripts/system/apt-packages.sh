# shellcheck shell=sh
# Installs packages with apt, as root, for a layer. The text without comments is part of the layer's name, so a change rebuilds
# all such layers. Words in double underscores are replaced (package-plans.ts).
#
# $@: names of packages, with versions. The plan puts "set -eu" and "set -- NAME..." before this.
#
# apt treats a name that no package has as a pattern if it can, so each name is looked up first. dpkg does not sync its files,
# since the layer is synced as a whole.
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq -o Acquire::Retries=3
for package in "$@"; do
  apt-cache show -- "${package%%=*}" >/dev/null 2>&1 || { echo "E: Unable to locate package ${package%%=*}"; exit 100; }
done
apt-get install -qq -y --no-install-recommends -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io -- "$@" </dev/null
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig
