import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import { readDatabaseId } from "../db/database-identity-store.ts";
import type { Queryable } from "../db/statement.ts";

/**
 * Whether the data directory belongs to this database, that is, to the first database that it was used with. Files that the rows
 * of another database do not mention are not leftovers, so a wrong database URL deletes nothing.
 */
export async function isOwnDatabase(db: Queryable, dataDir: string, log: Logger): Promise<boolean> {
  const file = join(dataDir, "database");
  const id = await readDatabaseId(db);
  writeOnce(file, id);
  if (readFileSync(file, "utf8").trim() === id) return true;
  log.warn(
    { file },
    "the data directory belongs to another database, so nothing in it is removed; delete this file if the database is the right one",
  );
  return false;
}

/** Writes the file atomically, unless it exists. */
function writeOnce(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${text}\n`, { mode: 0o600 });
  try {
    linkSync(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(partial);
  }
}
