import { ConfigError } from "./config-error.ts";
import type { SettingValues } from "./read-config.ts";
import { withPlace } from "./with-place.ts";

/** Runs `work` and adds to each fault of a setting that it throws where that setting was given. */
export async function placedFaults<T>(values: SettingValues, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.faults.map((fault) => withPlace(fault, values)));
  }
}
