/** Directory of Berth's programs in every sandbox. */
export const PROGRAMS_INSIDE = "/opt/berth/bin";
/** Directory in a sandbox of the agent's home from its system's layers, read-only. */
export const LAYERED_HOME = "/opt/berth/home";
/** Directory of uploaded files in every sandbox, read-only. */
export const UPLOADS_INSIDE = "/mnt/session/uploads";
/**
 * Directory of the saved state of named shells in every sandbox. The shells' scripts contain the same path.
 */
export const SHELLS_INSIDE = "/mnt/session/shells";
/** Directory in every sandbox of the commands' pipes and of the scripts of process 1 and of named shells. */
export const PIPES_INSIDE = "/run/berth";
/** File with the certificate authorities that a sandbox trusts. */
export const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Directory to which `pip install` and `npm install --global` install programs of the agent, who is not root.
 * It is last on the PATH, so that nothing that an agent installs hides a program of the system.
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
  // Debian's pip refuses to install beside packages of apt. The agent's own packages are in its home
  // directory.
  PIP_BREAK_SYSTEM_PACKAGES: "1",
};
