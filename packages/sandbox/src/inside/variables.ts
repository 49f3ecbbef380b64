import { BUNDLE, PROGRAMS_INSIDE } from "./paths.ts";

/** Variables of every command, on every engine. */
export const VARIABLES: Readonly<Record<string, string>> = {
  PATH: `${PROGRAMS_INSIDE}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
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
};
