# shellcheck shell=sh disable=SC2164 # the plan puts "set -e" before this
# Installs packages with npm, as root, for a layer. The text without comments is part of the layer's name, so a change rebuilds
# all such layers. Words in double underscores are replaced (package-plans.ts).
#
# $@: names of packages, with versions. The plan puts "set -eu" and "set -- NAME..." before this.
# __REGISTRY__: the option that names the registry, or empty.
cd /tmp
npm install --global --prefix=/usr/local --cache=/tmp/npm --no-audit --no-fund --no-update-notifier --loglevel=error __REGISTRY__ -- "$@" </dev/null
rm -rf /root/.npm
