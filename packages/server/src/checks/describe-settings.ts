import type { Capability } from "@berth/sandbox";
import type { Config } from "../config/config.ts";
import { unknownVariables } from "../config/unknown-variables.ts";

/** Reports whether the settings are valid and the environment has no unknown ones. */
export function describeSettings({ dataDir }: Config): Capability {
  const name = "settings";
  const unknown = unknownVariables(process.env);
  if (unknown.length === 0)
    return { name, state: "yes", detail: `All settings are valid. The data directory is ${dataDir}.` };
  const detail = `${unknown.join(" ")} \`berth serve --help\` lists all settings. The data directory is ${dataDir}.`;
  return { name, state: "degraded", detail };
}
