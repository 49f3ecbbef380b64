import { nearestName } from "./nearest-name.ts";
import { CONFIG_VARIABLE, SETTING_LIST, variablesOfSetting } from "./settings.ts";

/** Variables of the command line client. */
const CLIENT_VARIABLES = ["BERTH_URL", "BERTH_TOKEN", "BERTH_TOKEN_FILE", "BERTH_MODEL"];
const KNOWN_VARIABLES = [
  ...SETTING_LIST.flatMap(([, setting]) => variablesOfSetting(setting)),
  ...CLIENT_VARIABLES,
  CONFIG_VARIABLE,
];

/** A sentence for each `BERTH_` variable that is no setting, such as a misspelled one. Such a variable has no effect. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith("BERTH_") && !KNOWN_VARIABLES.includes(name),
  );
  return unknown.map((name) => {
    const nearest = nearestName(name, KNOWN_VARIABLES);
    return `The variable ${name} is not a setting and has no effect${nearest === null ? "" : `; the nearest is ${nearest}`}.`;
  });
}
