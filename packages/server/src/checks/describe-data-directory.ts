import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Capability } from "@berth/sandbox";
import { readKey } from "@berth/store/secrets";
import type { Config } from "../config/config.ts";
import { checkDataDirectory } from "./check-data-directory.ts";

/** Reports whether other users of the machine can change the installation. Creates nothing. */
export function describeDataDirectory({ dataDir, secretKeyFile }: Config): Capability {
  const name = "data_directory";
  try {
    if (existsSync(dataDir)) checkDataDirectory(dataDir);
    for (const key of keyFiles(dataDir, secretKeyFile)) readKey(key);
    return {
      name,
      state: "yes",
      detail: "Only Berth's user can change the data directory and the key.",
    };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}

function keyFiles(dataDir: string, own: string | null): string[] {
  if (own !== null) return [own];
  return ["secret.key", "secret.key.former"].map((file) => join(dataDir, file)).filter(existsSync);
}
