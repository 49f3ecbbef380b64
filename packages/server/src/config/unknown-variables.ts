import { variables } from "./config.ts";

/** Those of the command line, beside the service's own. */
const clients = ["BERTH_URL", "BERTH_TOKEN", "BERTH_TOKEN_FILE", "BERTH_MODEL"];
const known = new Set([...variables, ...clients, "BERTH_DATABASE_URL_FILE"]);

/** Variables that look like settings and are none, so that nothing takes them: misspelt, most likely. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("BERTH_") && !known.has(name));
}
