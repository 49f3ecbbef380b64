import { CREDENTIAL_HELPER, CREDENTIAL_HELPER_NAME } from "../inside/credential-helper.ts";
import { shellScript } from "../scripts/read-script.ts";

/** Programs that have to be first on the PATH inside, name to text. */
export const WORKSPACE_PROGRAMS: Readonly<Record<string, string>> = {
  [CREDENTIAL_HELPER_NAME]: CREDENTIAL_HELPER,
  gh: shellScript("workspace/gh.sh"),
};
