# shellcheck shell=sh
# Functions for the scripts that use git in a sandbox, which follow this file.
#
# git          runs git without any program of the repository: no hooks, no fsmonitor, no submodules, no protocol except $protocol, no
#              redirects, and no configuration in the agent's home. It fails when the host sends less than 20 bytes a second for
#              $BERTH_CLONE_STALL_SECONDS (default 300); progress lines alone are more. $limit may be a command that runs it.
# protocol_of  sets $protocol to the protocol of a URL: https or http.
#
# Credentials that a host refused are remembered only for this run (BERTH_GIT_REFUSED, see git-credential-berth.sh), so that the next
# attempt tries them again.
protocol_of() {
  case $1 in http:*) protocol=http ;; *) protocol=https ;; esac
}
export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_CONFIG_GLOBAL=/dev/null GIT_LFS_SKIP_SMUDGE=1
export BERTH_GIT_REFUSED="/dev/shm/berth-refused-$$"
[ ! -e "$BERTH_GIT_REFUSED" ] || rm -rf -- "$BERTH_GIT_REFUSED"
# Not git-command.sh, which comes before git on the PATH and would start a shell for each call. No commit is made here.
program=$(PATH=${PATH#/opt/berth/bin:} && command -v git) || program=git
limit=''
git() {
  # shellcheck disable=SC2086 # words
  command $limit "$program" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c protocol.allow=never \
    -c "protocol.$protocol.allow=always" -c http.followRedirects=false -c submodule.recurse=false -c safe.bareRepository=explicit \
    -c "http.lowSpeedLimit=20" -c "http.lowSpeedTime=${BERTH_CLONE_STALL_SECONDS:-300}" \
    -c advice.detachedHead=false -c checkout.workers=0 -c checkout.thresholdForParallelism=100 -c gc.auto=0 \
    -c maintenance.auto=false "$@"
}
