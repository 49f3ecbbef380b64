/** Less than a host says of its progress alone while it prepares what it sends. */
const SLOWEST_BYTES_A_SECOND = 20;

/**
 * Shell text that makes `git` a git that runs nothing of a repository: no hooks, no fsmonitor, no submodules, no protocol but
 * `$protocol`, no redirect, none of the configuration in the agent's home. A host that sends next to nothing
 * for `$BERTH_CLONE_STALL_SECONDS`, five minutes by default, is given up.
 */
export const gitFunction = `export LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_CONFIG_GLOBAL=/dev/null
git() {
  command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c protocol.allow=never \\
    -c "protocol.$protocol.allow=always" -c http.followRedirects=false -c submodule.recurse=false -c safe.bareRepository=explicit \\
    -c "http.lowSpeedLimit=${SLOWEST_BYTES_A_SECOND}" -c "http.lowSpeedTime=\${BERTH_CLONE_STALL_SECONDS:-300}" \\
    -c advice.detachedHead=false -c checkout.workers=0 -c checkout.thresholdForParallelism=100 -c gc.auto=0 \\
    -c maintenance.auto=false "$@"
}`;

/** Shell text that takes the protocol of a url that a host serves. */
export const protocolOf = (url: string): string =>
  `case ${url} in http:*) protocol=http ;; *) protocol=https ;; esac`;
