/** Directory of Berth's programs in every sandbox. */
export const PROGRAMS_INSIDE = "/opt/berth/bin";
/** Directory in a sandbox of the programs of its runtimes, read-only; it may be missing. */
export const RUNTIME_PROGRAMS_INSIDE = "/mnt/session/bin";
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
 * File with those of them that are not public, for programs that have the public ones and would read the whole
 * bundle at each start.
 */
export const OWN_AUTHORITIES = "/etc/ssl/certs/berth.pem";
/** The certificate authorities in Java's form, where Debian's Java expects them. */
export const JAVA_AUTHORITIES = "/etc/ssl/certs/java/cacerts";

/** Directory of programs in every sandbox that say what to use instead of the program of their name. */
export const SHIMS_INSIDE = `${PROGRAMS_INSIDE}/shims`;

/** Directory to which `pip install` and `npm install --global` install for the agent, who is not root. */
export const OWN_PROGRAMS = "/home/agent/.local";

/**
 * As on a developer's machine, what the agent installs comes before what the system has. Berth's programs and
 * those of the environment's runtimes come before both, and shims after all.
 */
const PATH = [
  PROGRAMS_INSIDE,
  RUNTIME_PROGRAMS_INSIDE,
  `${OWN_PROGRAMS}/bin`,
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  SHIMS_INSIDE,
].join(":");

/** Variables of every command, on every engine. */
export const VARIABLES: Readonly<Record<string, string>> = {
  PATH,
  HOME: "/home/agent",
  USER: "agent",
  LOGNAME: "agent",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TZ: "UTC",
  SSL_CERT_FILE: BUNDLE,
  NODE_EXTRA_CA_CERTS: OWN_AUTHORITIES,
  REQUESTS_CA_BUNDLE: BUNDLE,
  NPM_CONFIG_PREFIX: OWN_PROGRAMS,
  // A browser cannot make the namespaces of its own sandbox inside another one. Playwright does so by itself.
  PUPPETEER_DANGEROUS_NO_SANDBOX: "true",
  // Debian's pip refuses to install beside packages of apt. The agent's own packages are in its home
  // directory.
  PIP_BREAK_SYSTEM_PACKAGES: "1",
};
