import { shellScript } from "../scripts/read-script.ts";

/** Variable with the credentials of a session's repositories, three lines each: URL, user name, secret. */
export const CREDENTIAL_VARIABLE = "BERTH_GIT_CREDENTIALS";

/**
 * Variable that changes when one of their secrets is rotated, so that the helper retries a credential that a
 * host refused.
 */
export const CREDENTIALS_VERSION_VARIABLE = "BERTH_GIT_CREDENTIALS_VERSION";

/** Name of the helper among the programs of a sandbox. */
export const CREDENTIAL_HELPER_NAME = "git-credential-berth";

export const CREDENTIAL_HELPER = shellScript("workspace/git-credential-berth.sh");

/** The helper's lines in git's system configuration. */
export const CREDENTIAL_CONFIG = `[credential]
\thelper = /opt/berth/bin/${CREDENTIAL_HELPER_NAME}
\tuseHttpPath = true
`;
