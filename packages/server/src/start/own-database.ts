import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Queryable } from "../db/statement.ts";

/**
 * Whether the data directory belongs to this database: to the first one that it was served with. What rows of another one
 * do not name is no leftover, so that a wrong address of a database costs no file.
 */
export async function isOwnDatabase(db: Queryable, dataDir: string, log: Logger): Promise<boolean> {
  const file = join(dataDir, "database");
  const { rows } = await db.query<{ id: string }>({
    name: "database_id",
    text: "select id from database_identity",
  });
  const id = rows[0]?.id ?? "";
  note(file, id);
  if (readFileSync(file, "utf8").trim() === id) return true;
  log.warn(
    { file },
    "the data directory belongs to another database: nothing in it is swept. Delete the file if this database is right",
  );
  return false;
}

/** Writes the file, whole or not at all, unless it is there. */
function note(file: string, text: string): void {
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
