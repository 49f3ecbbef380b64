import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFile } from "@berth/linux";
import { type Queryable, readDatabaseId } from "@berth/store/db";
import type { Logger } from "pino";

/**
 * Returns whether the data directory belongs to this database, that is, to the first database that it was
 * used with. Otherwise files that the database does not mention are not leftovers, so a wrong database URL
 * deletes nothing.
 */
export async function isOwnDatabase(db: Queryable, dataDir: string, log: Logger): Promise<boolean> {
  const file = join(dataDir, "database");
  const id = await readDatabaseId(db);
  if (!existsSync(file)) createFile(file, `${id}\n`);
  if (readFileSync(file, "utf8").trim() === id) return true;
  log.warn(
    { file },
    "the data directory belongs to another database, so Berth removes nothing from it; delete this file if the database is the right one",
  );
  return false;
}
