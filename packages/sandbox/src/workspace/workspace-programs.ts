import { shellScript } from "../scripts.ts";
import { credentialHelper, credentialHelperName } from "./credential-helper.ts";

/** Programs that have to be first on the PATH inside, name to text. */
export const workspacePrograms: Readonly<Record<string, string>> = {
  [credentialHelperName]: credentialHelper,
  gh: shellScript("workspace/gh.sh"),
};
