/** Where every sandbox has the programs that Berth brings. */
export const PROGRAMS_INSIDE = "/opt/berth/bin";
/** Where every sandbox has its uploaded files, read-only. */
export const UPLOADS_INSIDE = "/mnt/session/uploads";
/** The certificate authorities that a sandbox trusts, in one file. */
export const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
