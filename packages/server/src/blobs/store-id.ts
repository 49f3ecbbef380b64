import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "./install-blob.ts";

/** The name of the store in a directory, made once and durable: processes that share the directory read the same one. */
export async function blobStoreId(directory: string): Promise<string> {
  const path = join(directory, "store");
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const known = await readFile(path, "utf8").catch(() => null);
  if (known !== null) return known.trim();
  const partial = `${path}.${randomUUID()}`;
  const file = await open(partial, "wx", 0o600);
  await file.writeFile(`${randomUUID()}\n`);
  await file.sync();
  await file.close();
  await link(partial, path).catch(unlessExists);
  await rm(partial);
  await syncDirectory(directory);
  return (await readFile(path, "utf8")).trim();
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
