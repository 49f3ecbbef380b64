import { nearestName } from "@berth/store/errors";
import { traceSettings } from "@berth/store/names";
import { withoutServiceLinks } from "./service-links.ts";
import { CONFIG_VARIABLE, SETTING_LIST, variablesOfSetting } from "./settings.ts";

/** Variables of the command line client. */
const CLIENT_VARIABLES = [
  "BERTH_URL",
  "BERTH_CONTEXT",
  "BERTH_TOKEN",
  "BERTH_TOKEN_FILE",
  "BERTH_CA_FILE",
  "BERTH_MODEL",
];
const KNOWN_VARIABLES = [
  ...SETTING_LIST.flatMap(([, setting]) => variablesOfSetting(setting)),
  ...CLIENT_VARIABLES,
  CONFIG_VARIABLE,
];

/**
 * Returns a sentence for each variable without effect: a `BERTH_` variable that is not a setting, or one of
 * another program with an unusable value.
 */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const unknown = Object.keys(withoutServiceLinks(environment)).filter(
    (name) => name.startsWith("BERTH_") && !KNOWN_VARIABLES.includes(name),
  );
  const sentences = unknown.map((name) => {
    const nearest = nearestName(name, KNOWN_VARIABLES);
    return `The variable ${name} is not a setting and has no effect${nearest === null ? "" : `; the nearest is ${nearest}`}.`;
  });
  return [...sentences, ...unusable(environment), ...traceSettings(environment).faults];
}

/** Returns a sentence for each variable of another program whose value Berth cannot use. */
function unusable(environment: Readonly<Record<string, string | undefined>>): string[] {
  return SETTING_LIST.flatMap(([, { common = [], parse }]) =>
    common.flatMap((name) => {
      try {
        if (environment[name]) parse(environment[name]);
        return [];
      } catch (error) {
        return [`Berth ignores the variable ${name}: it ${(error as Error).message}.`];
      }
    }),
  );
}
