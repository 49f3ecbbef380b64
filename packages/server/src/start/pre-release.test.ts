import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { migrate, openDatabase } from "@berth/store/db";
import { startEmbeddedPostgres } from "@berth/store/embedded-postgres";
import { silentLog } from "@berth/store/test-support/database";

const BINARY = join(import.meta.dirname, "../../../../bin/berth");
const SENTENCE =
  "The database was made by a pre-release of Berth, which no release can continue: start with another data directory or database. Nothing in this one was changed.";

test("the data directory of a pre-release: serve and migrate end with one sentence, and change nothing", async (t) => {
  const dataDir = await ofPreRelease(t);
  const before = await contents(dataDir);
  for (const args of [["serve", "--port", "0"], ["migrate"]]) {
    const { code, said } = await berth(...args, "--data-dir", dataDir);
    assert.equal(code, 1, said);
    assert.ok(said.includes(SENTENCE), said);
  }
  assert.deepEqual(await contents(dataDir), before);
});

test("a backup of a pre-release: restore ends with the sentence, and leaves no data directory", async (t) => {
  const directory = await ofPreRelease(t);
  const backup = join(directory, "backup");
  cpSync(join(directory, "postgres/cluster"), join(backup, "cluster"), { recursive: true });
  mkdirSync(join(backup, "blobs"));
  const note = { format: 1, berth: "0.1.0", ended_at: "2026-01-01T00:00:00Z", architecture: process.arch };
  writeFileSync(join(backup, "backup.json"), JSON.stringify({ ...note, contents_at: null }));
  const { code, said } = await berth("restore", backup, "--check", "--data-dir", join(directory, "restored"));
  assert.equal(code, 2, said);
  assert.ok(said.includes(SENTENCE), said);
  assert.ok(!readdirSync(directory).includes("restored"));
});

/** Makes a data directory as a version before the first release left it, with a row. Its server is stopped. */
async function ofPreRelease(t: TestContext): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), "berth-pre-release-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const directory = join(dataDir, "migrations");
  mkdirSync(directory);
  writeFileSync(
    join(directory, "0001-start.sql"),
    "create table notes (said text); insert into notes values ('kept');",
  );
  writeFileSync(join(directory, "0002-more.sql"), "alter table notes add column more int;");
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log: silentLog });
  await migrate({ connection: server.connection }, { directory }).finally(() => server.stop());
  return dataDir;
}

/** Returns the tables and rows of the database. */
async function contents(dataDir: string): Promise<unknown[]> {
  const server = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log: silentLog });
  const db = openDatabase({ connection: server.connection, log: silentLog, max: 1, readers: 1 });
  try {
    const tables =
      "select relname from pg_class where relnamespace = 'public'::regnamespace order by relname";
    const texts = [tables, "select * from notes", "select number, name, checksum from schema_migrations"];
    const rows: unknown[] = [];
    for (const text of texts) rows.push((await db.read.query({ text })).rows);
    return rows;
  } finally {
    await db.close();
    await server.stop();
  }
}

async function berth(...args: string[]): Promise<{ code: number; said: string }> {
  return await promisify(execFile)(BINARY, args).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }) => ({ code, said: `${stdout}${stderr}` }),
  );
}
