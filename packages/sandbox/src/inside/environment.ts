/** Where every sandbox has the programs of Berth. */
export const PROGRAMS_INSIDE = "/opt/berth/bin";
/** Where a sandbox has the agent's home directory of its system's layers, read-only. */
export const LAYERED_HOME = "/opt/berth/home";
/** Where every sandbox has its uploaded files, read-only. */
export const UPLOADS_INSIDE = "/mnt/session/uploads";
/** Where every sandbox has what is kept of its named shells; the shells' scripts name it, too. */
export const SHELLS_INSIDE = "/mnt/session/shells";
/** Where every sandbox has the pipes of its commands and the scripts of process 1 and of named shells. */
export const PIPES_INSIDE = "/run/berth";
/** The certificate authorities that a sandbox trusts, in one file. */
export const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Where the agent, which is not root, installs programs of its own: `pip install` and `npm install --global` put them here. It
 * comes last on the path, so that nothing that an agent installs takes the place of a program of the system.
 */
const OWN_PROGRAMS = "/home/agent/.local";

/** Variables of every command, on every engine. */
export const VARIABLES: Readonly<Record<string, string>> = {
  PATH: `${PROGRAMS_INSIDE}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${OWN_PROGRAMS}/bin`,
  HOME: "/home/agent",
  USER: "agent",
  LOGNAME: "agent",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TZ: "UTC",
  SSL_CERT_FILE: BUNDLE,
  NODE_EXTRA_CA_CERTS: BUNDLE,
  REQUESTS_CA_BUNDLE: BUNDLE,
  NPM_CONFIG_PREFIX: OWN_PROGRAMS,
  // Debian's pip refuses to install beside packages of apt. The agent's own packages lie in its home directory.
  PIP_BREAK_SYSTEM_PACKAGES: "1",
};
