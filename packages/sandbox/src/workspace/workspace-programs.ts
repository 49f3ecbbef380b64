import { credentialHelper, credentialHelperName } from "../inside/credential-helper.ts";
import { shellScript } from "../scripts/read-script.ts";

/** Programs that have to be first on the PATH inside, name to text. */
export const workspacePrograms: Readonly<Record<string, string>> = {
  [credentialHelperName]: credentialHelper,
  gh: shellScript("workspace/gh.sh"),
};
