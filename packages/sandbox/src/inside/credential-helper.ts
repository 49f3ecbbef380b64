import { shellScript } from "../scripts/read-script.ts";

/** Holds the credentials of a session's repositories, three lines each: url, user name, secret. */
export const credentialVariable = "BERTH_GIT_CREDENTIALS";

/** Name of the helper among the programs inside. */
export const credentialHelperName = "git-credential-berth";

export const credentialHelper = shellScript("workspace/git-credential-berth.sh");

/** Lines of git's system configuration inside. */
export const credentialConfig = `[credential]
\thelper = /opt/berth/bin/${credentialHelperName}
\tuseHttpPath = true
`;
