import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { migrate } from "../src/db/migrate.ts";
import { type TestDatabase, testDatabase } from "./database.ts";

const MIGRATIONS = join(import.meta.dirname, "../src/db/migrations");

/** Creates an empty database with the schema as of a migration, for one test. */
export async function formerDatabase(t: TestContext, last: number): Promise<TestDatabase> {
  const db = await testDatabase(t);
  await db.write.query({ text: "drop schema public cascade" });
  await db.write.query({ text: "create schema public" });
  const directory = mkdtempSync(join(tmpdir(), "berth-migrations-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const former = readdirSync(MIGRATIONS).filter((file) => Number(file.slice(0, 4)) <= last);
  for (const file of former) cpSync(join(MIGRATIONS, file), join(directory, file));
  await migrate(db, { directory });
  return db;
}
