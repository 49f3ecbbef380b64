# shellcheck shell=sh disable=SC2164 # the plan puts "set -e" before this
# Layer of a system: installs packages by pip as root. The text without comments is part of the name of the layer: whatever
# changes it has all such layers made again. The words in double underscores are replaced (package-plans.ts).
#
# $@: names of packages, with versions. The plan puts "set -eu" and "set -- NAME..." before this.
# __INDEX__: the option that names the index, or empty.
cd /tmp
PIP_CONFIG_FILE=/dev/null pip3 install --quiet --no-input --no-cache-dir --disable-pip-version-check --break-system-packages --root-user-action=ignore __INDEX__ -- "$@" </dev/null
rm -rf /root/.cache
