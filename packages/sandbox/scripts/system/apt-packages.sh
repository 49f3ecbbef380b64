# shellcheck shell=sh
# Installs packages with apt, as root, for a layer. The text without comments is part of the layer's name, so a change rebuilds
# all such layers. Words in double underscores are replaced (package-plans.ts).
#
# $@: names of packages, with versions. The plan puts "set -eu" and "set -- NAME..." before this.
#
# Installs all at once. If that fails, installs one after the other those that can be, ends with exit code 75, and names the others in the
# last line of its output.
#
# apt treats a name that no package has as a pattern if it can, so each name is looked up first. dpkg does not sync its files,
# since the layer is synced as a whole.
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq -o Acquire::Retries=3
install() {
  for package in "$@"; do
    apt-cache show -- "${package%%=*}" >/dev/null 2>&1 || { echo "E: Unable to locate package ${package%%=*}"; return 100; }
  done
  apt-get install -qq -y --no-install-recommends -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io -- "$@" </dev/null
}
missing=
status=0
install "$@" >/tmp/output 2>&1 || status=$?
if [ "$status" != 0 ]; then
  if [ "$#" = 1 ]; then cat /tmp/output && exit "$status"; fi
  some=
  for name in "$@"; do
    if install "$name" >/tmp/output 2>&1; then some=yes && continue; fi
    missing="$missing $name"
    tail -n 20 /tmp/output
    # A package whose own script failed would make each later installation fail.
    dpkg --purge --force-all -- "${name%%=*}" >/dev/null 2>&1 || true
  done
  if [ -z "$some" ]; then exit "$status"; fi
fi
apt-get clean
rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig
if [ -n "$missing" ]; then
  echo "not installed:$missing"
  exit 75
fi
