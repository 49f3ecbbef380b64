# shellcheck shell=sh
# Begins the scripts that make the tree of a runtime in a sandbox, as an unprivileged user: `/data/tree`, whose programs are
# those in its directory `bin`.
set -eu
umask 022
cd /data
mkdir -p tree/bin
