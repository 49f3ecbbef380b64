# shellcheck shell=sh disable=SC2164 # the plan puts "set -e" before this
# Installs packages with pip, as root, for a layer. The text without comments is part of the layer's name, so a change rebuilds
# all such layers. Words in double underscores are replaced (package-plans.ts).
#
# $@: names of packages, with versions. The plan puts "set -eu" and "set -- NAME..." before this.
# __INDEX__: the option that names the index, or empty.
cd /tmp
PIP_CONFIG_FILE=/dev/null pip3 install --quiet --no-input --no-cache-dir --disable-pip-version-check --break-system-packages --root-user-action=ignore __INDEX__ -- "$@" </dev/null
rm -rf /root/.cache
