import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import { localPlace } from "../runs/lease/host.ts";
import { migrate } from "./migrate.ts";

const MIGRATIONS = join(import.meta.dirname, "migrations");
const BEFORE_HOMES = 29;

test("a session whose disk was on a host of an installation is at home at its place", async (t) => {
  const db = await testDatabase(t);
  await db.write.query({ text: "drop schema public cascade" });
  await db.write.query({ text: "create schema public" });
  const directory = mkdtempSync(join(tmpdir(), "berth-migrations-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const former = readdirSync(MIGRATIONS).filter((file) => Number(file.slice(0, 4)) <= BEFORE_HOMES);
  for (const file of former) cpSync(join(MIGRATIONS, file), join(directory, file));
  await migrate(db, { directory });
  const from = await seed(db.write);
  const [withDisk, without] = [await seedSession(db.write, from), await seedSession(db.write, from)];
  await db.write.query({ text: "update sessions set disk_host = 'abc' where id = $1", values: [withDisk] });
  await migrate(db);
  const { rows } = await db.read.query({ text: "select id, home from sessions order by id" });
  assert.deepEqual(rows, [
    { id: withDisk, home: localPlace("abc") },
    { id: without, home: null },
  ]);
});
