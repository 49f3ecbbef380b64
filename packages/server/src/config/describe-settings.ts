import { join } from "node:path";
import { readCeilings } from "./ceilings.ts";
import type { Config } from "./config.ts";
import { defaultLimits } from "./default-limits.ts";
import type { SettingValues, Source } from "./read-config.ts";
import { keyOf, SETTING_LIST } from "./settings.ts";

/** A setting with its effective value. */
export interface DescribedSetting extends Source {
  key: string;
  /** The value, or `(set)` for a secret. Null means that Berth determines it at start. */
  value: unknown;
}

/** Returns all settings with their values and sources. Values that depend on the machine are computed now. */
export function describeSettings({ config, sources }: SettingValues): DescribedSetting[] {
  const effective = { ...config, ...fromMachine(config) };
  return SETTING_LIST.map(([key, { variable, secret }]) => {
    const value = effective[key];
    return {
      key: keyOf(variable),
      value: secret === true && value !== null ? "(set)" : value,
      ...sources[key],
    };
  });
}

function fromMachine(config: Config): Partial<Config> {
  const { cpus, memory_mb, pids, disk_mb } = readCeilings(config);
  const { organization, user } = defaultLimits(config);
  return {
    organizationLimits: organization,
    userLimits: user,
    maxCpus: cpus,
    maxMemoryMb: memory_mb,
    maxPids: pids,
    maxDiskMb: disk_mb,
    secretKeyFile: config.secretKeyFile ?? join(config.dataDir, "secret.key"),
  };
}
