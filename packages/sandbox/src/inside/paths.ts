/** Where every sandbox has the programs that Berth brings. */
export const PROGRAMS_INSIDE = "/opt/berth/bin";
/** Where a sandbox whose system has layers has what those have as the agent's home directory, read-only. */
export const LAYERED_HOME = "/opt/berth/home";
/** Where every sandbox has its uploaded files, read-only. */
export const UPLOADS_INSIDE = "/mnt/session/uploads";
/** The certificate authorities that a sandbox trusts, in one file. */
export const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
/** Where every sandbox has the pipes of its commands, and the script of process 1. */
export const PIPES_INSIDE = "/run/berth";
