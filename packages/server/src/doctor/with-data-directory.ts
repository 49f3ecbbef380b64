import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "@berth/linux";
import type { Config } from "../config/config.ts";

/**
 * Calls `examine` with settings whose data directory exists. Without an installation this is a temporary
 * directory on the same filesystem, removed afterwards, so that examining does not create an installation.
 */
export async function withDataDirectory<T>(
  config: Config,
  examine: (config: Config) => Promise<T>,
): Promise<T> {
  if (existsSync(config.dataDir)) return await examine(config);
  const dataDir = await mkdtemp(join(nearestDirectory(dirname(config.dataDir)), ".berth-doctor-"));
  try {
    return await examine({ ...config, dataDir });
  } finally {
    await removeTree(dataDir);
  }
}

function nearestDirectory(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestDirectory(dirname(path));
}
