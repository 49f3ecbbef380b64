import { shellScript } from "../scripts/read-script.ts";

/** Holds the credentials of a session's repositories, three lines each: url, user name, secret. */
export const CREDENTIAL_VARIABLE = "BERTH_GIT_CREDENTIALS";

/** Name of the helper among the programs inside. */
export const CREDENTIAL_HELPER_NAME = "git-credential-berth";

export const CREDENTIAL_HELPER = shellScript("workspace/git-credential-berth.sh");

/** Lines of git's system configuration inside. */
export const CREDENTIAL_CONFIG = `[credential]
\thelper = /opt/berth/bin/${CREDENTIAL_HELPER_NAME}
\tuseHttpPath = true
`;
