import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, createFile } from "@berth/linux";

/**
 * Returns the id of this installation on this machine, created once in the data directory. Rows of the
 * database refer to it, so it is durable before anything is stored under it.
 */
export function installationId(dataDir: string): string {
  const file = join(dataDir, "installation");
  createDirectory(dataDir);
  if (!existsSync(file)) createFile(file, `${randomBytes(8).toString("hex")}\n`);
  return readFileSync(file, "utf8").trim();
}
