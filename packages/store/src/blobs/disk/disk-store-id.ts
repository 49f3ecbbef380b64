import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createDirectory, createFile } from "@berth/linux";
import { giveToOwner } from "./give-to-owner.ts";

/**
 * Returns the id of the store in a directory, creating it durably on the first call. Processes that share the
 * directory read the same id.
 */
export async function diskStoreId(directory: string): Promise<string> {
  const path = join(directory, "store");
  createDirectory(directory);
  const known = await readFile(path, "utf8").catch(() => null);
  if (known !== null) return known.trim();
  createFile(path, `${randomUUID()}\n`);
  await giveToOwner([path], directory);
  return (await readFile(path, "utf8")).trim();
}
