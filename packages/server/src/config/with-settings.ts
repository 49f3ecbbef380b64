import type { Config } from "./config.ts";
import { placedFaults } from "./placed-faults.ts";
import { readSettings, type SettingValues } from "./read-config.ts";

/**
 * Reads the settings of this process and runs `work` with them. Adds to each fault of a setting, also one
 * that `work` throws, where the setting was given.
 * @param flags Flags by name without dashes, such as `data-dir`.
 * @throws ConfigError
 */
export async function withSettings<T>(
  flags: Readonly<Record<string, string | undefined>>,
  work: (config: Config, values: SettingValues) => Promise<T>,
): Promise<T> {
  const values = readSettings(process.env, flags, process.cwd());
  return await placedFaults(values, () => work(values.config, values));
}
