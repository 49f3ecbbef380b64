# shellcheck shell=sh
# Functions of the scripts that use git inside a sandbox, which follow this file.
#
# git          runs nothing of a repository: no hooks, no fsmonitor, no submodules, no protocol but $protocol, no redirect, and
#              without the configuration in the agent's home. It gives up a host that sends less than 20 bytes a second, which
#              a host's own progress lines exceed, for $BERTH_CLONE_STALL_SECONDS (default 300).
# protocol_of  sets $protocol to that of a URL: https or http.
protocol_of() {
  case $1 in http:*) protocol=http ;; *) protocol=https ;; esac
}
export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_CONFIG_GLOBAL=/dev/null
git() {
  command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c protocol.allow=never \
    -c "protocol.$protocol.allow=always" -c http.followRedirects=false -c submodule.recurse=false -c safe.bareRepository=explicit \
    -c "http.lowSpeedLimit=20" -c "http.lowSpeedTime=${BERTH_CLONE_STALL_SECONDS:-300}" \
    -c advice.detachedHead=false -c checkout.workers=0 -c checkout.thresholdForParallelism=100 -c gc.auto=0 \
    -c maintenance.auto=false "$@"
}
