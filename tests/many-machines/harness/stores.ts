import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What machines share, as settings. */
export interface Stores {
  BERTH_DATABASE_URL: string;
  BERTH_BLOBS: string;
}

/** Keeps what a cluster shares in its directory, for the commands on it. */
export function writeStores(directory: string, stores: Stores): void {
  writeFileSync(fileIn(directory), JSON.stringify(stores), { mode: 0o600 });
}

/** What a cluster in this directory shares; nothing where there is none. */
export function storesIn(directory: string): Partial<Stores> {
  return existsSync(fileIn(directory)) ? JSON.parse(readFileSync(fileIn(directory), "utf8")) : {};
}

function fileIn(directory: string): string {
  return join(directory, "stores.json");
}
