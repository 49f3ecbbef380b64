import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { type TestDatabase, testDatabase, testServers } from "../../test-support/database.ts";
import { migrate, readSchema } from "./migrate.ts";

for (const server of testServers) {
  describe(`migrate on ${server.label}`, () => {
    test("a second run finds nothing to do", async (t) => {
      const db = await testDatabase(t, server);
      assert.deepEqual(await migrate(db), { applied: [], newer: [] });
    });

    test("processes that start together apply each file once", async (t) => {
      const db = await emptyDatabase(t, server);
      const directory = migrations(t, {
        "0001-notes.sql": "create table notes (id int); insert into notes values (1);",
        "0002-more.sql": "insert into notes values (2); select pg_sleep(0.05);",
      });
      const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(db, { directory })));
      assert.deepEqual(runs.flatMap(({ applied }) => applied).sort(), ["0001-notes.sql", "0002-more.sql"]);
      const { rows } = await db.read.query({ text: "select id from notes order by id" });
      assert.deepEqual(rows, [{ id: 1 }, { id: 2 }]);
    });

    test("migrate: a file that fails → its changes are rolled back, earlier files stay applied", async (t) => {
      const db = await emptyDatabase(t, server);
      const directory = migrations(t, {
        "0001-notes.sql": "create table notes (id int);",
        "0002-broken.sql": "insert into notes values (1); select 1 / 0;",
      });
      await assert.rejects(migrate(db, { directory }), /division by zero/);
      assert.equal((await db.read.query({ text: "select * from notes" })).rowCount, 0);
      const { rows } = await db.read.query({ text: "select name from schema_migrations" });
      assert.deepEqual(rows, [{ name: "0001-notes.sql" }]);
    });

    test("migrate: the signal aborts in a file → it is rolled back, and a later run applies it", async (t) => {
      const db = await emptyDatabase(t, server);
      const waiting = "create table notes (id int); select pg_advisory_xact_lock(1);";
      const directory = migrations(t, { "0001-notes.sql": waiting });
      await db.transaction(async (tx) => {
        await tx.query({ text: "select pg_advisory_xact_lock(1)" });
        const stop = new AbortController();
        const run = migrate(db, { directory, signal: stop.signal });
        const text = "select 1 from pg_locks where locktype = 'advisory' and not granted";
        while ((await tx.query({ text })).rowCount === 0);
        stop.abort();
        await assert.rejects(run, { name: "AbortError" });
      });
      assert.deepEqual((await migrate(db, { directory })).applied, ["0001-notes.sql"]);
    });

    test("migrate: a transaction has a table and waits for another → the migration gives way, and is applied after it", async (t) => {
      const db = await emptyDatabase(t, server);
      const first = { "0001-notes.sql": "create table notes (id int); create table more (id int);" };
      await migrate(db, { directory: migrations(t, first) });
      const both = "alter table notes add column said text; alter table more add column said text;";
      const directory = migrations(t, { ...first, "0002-said.sql": both });
      const waits: string[] = [];
      let run: Promise<unknown> = Promise.resolve();
      await db.transaction(async (tx) => {
        await tx.query({ text: "insert into more values (1)" });
        run = migrate(db, { directory, onWait: (name) => waits.push(name) });
        const text = "select 1 from pg_locks where relation = 'more'::regclass and not granted";
        while ((await tx.query({ text })).rowCount === 0);
        await tx.query({ text: "insert into notes values (1)" });
      });
      assert.deepEqual(await run, { applied: ["0002-said.sql"], newer: [] });
      assert.deepEqual(waits, ["0002-said.sql"]);
      const { rows } = await db.read.query({ text: "select notes.said from notes join more using (id)" });
      assert.deepEqual(rows, [{ said: null }]);
    });

    test("migrate: an applied file was edited → an error", async (t) => {
      const db = await emptyDatabase(t, server);
      const directory = migrations(t, { "0001-notes.sql": "create table notes (id int);" });
      await migrate(db, { directory });
      writeFileSync(join(directory, "0001-notes.sql"), "create table notes (id bigint);");
      await assert.rejects(migrate(db, { directory }), {
        message: "Migration 0001-notes.sql was changed after it had been applied to this database.",
      });
    });

    test("migrate: the database is newer than the code → accepted until a migration requires newer code", async (t) => {
      const db = await emptyDatabase(t, server);
      const files = {
        "0001-notes.sql": "select 1;",
        "0002-later.sql": "select 2;",
        "0003-fewer.sql": "-- requires: 0002\nselect 3;",
      };
      const upTo = (count: number) =>
        migrations(t, Object.fromEntries(Object.entries(files).slice(0, count)));
      const first = upTo(1);
      const second = upTo(2);
      const third = upTo(3);
      await migrate(db, { directory: second });
      assert.deepEqual(await readSchema(db, { directory: first }), {
        pending: [],
        newer: ["0002-later.sql"],
      });
      assert.deepEqual(await readSchema(db, { directory: third }), {
        pending: ["0003-fewer.sql"],
        newer: [],
      });
      await migrate(db, { directory: third });
      const newer = ["0003-fewer.sql"];
      assert.deepEqual(await migrate(db, { directory: second }), { applied: [], newer });
      await assert.rejects(migrate(db, { directory: first }), {
        message:
          "The database has migration 0003-fewer.sql, which needs a Berth that knows migration 0002: start a newer Berth.",
      });
    });

    test("migrate: a database of a pre-release → one sentence, and nothing is changed", async (t) => {
      const db = await emptyDatabase(t, server);
      await migrate(db, { directory: migrations(t, { "0001-start.sql": "create table notes (id int);" }) });
      const before = await tables(db);
      const directory = migrations(t, {
        "0001-schema.sql": "create table others (id int);",
        "0002-more.sql": "select 2;",
      });
      for (const work of [migrate, readSchema])
        await assert.rejects(work(db, { directory }), {
          message:
            "The database was made by a pre-release of Berth, which no release can continue: start with another data directory or database. Nothing in this one was changed.",
        });
      assert.deepEqual(await tables(db), before);
    });

    test("schema: reading it changes nothing", async (t) => {
      const db = await emptyDatabase(t, server);
      const directory = migrations(t, { "0001-notes.sql": "select 1;" });
      assert.deepEqual(await readSchema(db, { directory }), { pending: ["0001-notes.sql"], newer: [] });
      const text = "select to_regclass('schema_migrations') as made";
      assert.deepEqual((await db.read.query({ text })).rows, [{ made: null }]);
    });

    test("migrate: a gap in the file numbers → an error", async (t) => {
      const db = await emptyDatabase(t, server);
      const directory = migrations(t, { "0001-notes.sql": "select 1;", "0003-later.sql": "select 3;" });
      await assert.rejects(migrate(db, { directory }), /0003-later.sql should be the one with number 2/);
    });
  });
}

function migrations(t: TestContext, files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-migrations-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(directory, name), sql);
  return directory;
}

async function tables(db: TestDatabase): Promise<unknown[]> {
  const text =
    "select relname, (select array_agg(name) from schema_migrations) from pg_class where relnamespace = 'public'::regnamespace order by relname";
  return (await db.read.query({ text })).rows;
}

async function emptyDatabase(t: TestContext, server: (typeof testServers)[number]): Promise<TestDatabase> {
  const db = await testDatabase(t, server);
  await db.write.query({ text: "drop schema public cascade" });
  await db.write.query({ text: "create schema public" });
  return db;
}
