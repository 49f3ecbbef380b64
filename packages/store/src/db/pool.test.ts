import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { silentLog, testDatabase, testServers } from "../../test-support/database.ts";
import { checkDurability } from "./check-durability.ts";
import { DatabaseUnavailableError, isUniqueViolation } from "./database-error.ts";
import { openDatabase } from "./pool.ts";

for (const server of testServers) {
  describe(`database on ${server.label}`, () => {
    test("write, read and transaction see the same rows", async (t) => {
      const db = await testDatabase(t, server);
      await db.write.query({ text: "create table notes (id bigint primary key, body jsonb)" });
      await db.transaction(async (tx) => {
        for (const id of [1, 2]) {
          await tx.query({
            name: "insert_note",
            text: "insert into notes values ($1, $2)",
            values: [id, { of: id }],
          });
        }
      });
      const { rows, rowCount } = await db.read.query<{ id: number; body: unknown }>({
        name: "list_notes",
        text: "select id, body from notes order by id",
      });
      assert.deepEqual(rows, [
        { id: 1, body: { of: 1 } },
        { id: 2, body: { of: 2 } },
      ]);
      assert.equal(rowCount, 2);
    });

    test("transaction: the work throws → it is rolled back, and the error is rethrown", async (t) => {
      const db = await testDatabase(t, server);
      await db.write.query({ text: "create table notes (id int primary key)" });
      const refusal = new Error("no");
      const failing = db.transaction(async (tx) => {
        await tx.query({ text: "insert into notes values (1)" });
        throw refusal;
      });
      await assert.rejects(failing, (error) => error === refusal);
      assert.equal((await db.read.query({ text: "select * from notes" })).rowCount, 0);
    });

    test("read: many named queries at once each get their own rows", async (t) => {
      const db = await testDatabase(t, server);
      const asked = Array.from({ length: 300 }, (_, n) =>
        db.read.query<{ n: number }>({ name: "echo", text: "select $1::int as n", values: [n] }),
      );
      const answers = (await Promise.all(asked)).map(({ rows }) => rows[0]?.n);
      assert.deepEqual(
        answers,
        Array.from({ length: 300 }, (_, n) => n),
      );
    });

    test("read: a query that fails does not affect others on the same connection", async (t) => {
      const db = await testDatabase(t, server);
      const asked = Array.from({ length: 20 }, (_, n) =>
        db.read.query<{ n: number }>({ text: "select 100 / $1::int as n", values: [n % 4] }),
      );
      const settled = await Promise.allSettled(asked);
      for (const [n, answer] of settled.entries()) {
        assert.equal(answer.status, n % 4 === 0 ? "rejected" : "fulfilled", `read ${n}`);
      }
    });

    test("a statement with more or fewer values than parameters → its own error, and the connection goes on", async (t) => {
      const db = await testDatabase(t, server);
      for (const queryable of [db.read, db.write]) {
        for (const [name, text, values] of [
          ["too_few", "select $1::int + $2::int as sum", [1]],
          ["too_many", "select $1::int as one", [1, 2]],
        ] as const) {
          const mismatched = queryable.query({ name, text, values });
          await assert.rejects(mismatched, (error: Error) => {
            assert.match(error.message, /^bind message supplies/);
            return !(error instanceof DatabaseUnavailableError);
          });
        }
        assert.deepEqual((await queryable.query({ text: "select 1 as one" })).rows, [{ one: 1 }]);
      }
    });

    test("isUniqueViolation: distinguishes a unique violation from other errors", async (t) => {
      const db = await testDatabase(t, server);
      await db.write.query({ text: "create table notes (id int constraint notes_key primary key)" });
      const insert = { text: "insert into notes values (1)" };
      await db.write.query(insert);
      await assert.rejects(db.write.query(insert), (error) => isUniqueViolation(error, "notes_key"));
      await assert.rejects(db.write.query(insert), (error) => !isUniqueViolation(error, "another_key"));
    });

    test("read: an integer beyond 2^53 → an error, not a rounded value", async (t) => {
      const db = await testDatabase(t, server);
      await assert.rejects(db.read.query({ text: "select 9007199254740993::bigint as n" }), RangeError);
      const { rows } = await db.read.query({ text: "select 9007199254740991::bigint as n" });
      assert.deepEqual(rows, [{ n: Number.MAX_SAFE_INTEGER }]);
    });

    test("the server closes connections → running statements fail, later ones succeed", async (t) => {
      const db = await testDatabase(t, server);
      const { database } = db.connection;
      const text = `select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = $1 and pid <> pg_backend_pid() and application_name = 'berth'`;
      const cut = [
        db.write.query({ text: "select pg_sleep(20), 1" }),
        db.transaction((tx) => tx.query({ text: "select pg_sleep(20), 2" })),
        db.read.query({ text: "select pg_sleep(20), 3" }),
      ].map((asked) => assert.rejects(asked, DatabaseUnavailableError));
      await untilSleeping(db, 3);
      const other = openDatabase({ connection: db.connection, log: silentLog });
      await other.write.query({ text, values: [database] });
      await Promise.all(cut);
      await other.close();
      assert.equal((await db.write.query({ text: "select 1" })).rowCount, 1);
      assert.equal((await db.read.query({ text: "select 1" })).rowCount, 1);
      assert.equal(await db.transaction(async (tx) => (await tx.query({ text: "select 1" })).rowCount), 1);
    });

    test("the server says that it closes a connection, which stays open → later reads use another one", async (t) => {
      const db = await testDatabase(t, server, { readers: 1 });
      await db.read.query({ text: "create temporary table notes (id int)" });
      await db.transaction(async (tx) => {
        // A connection that closes removes its temporary tables first, and waits for this lock.
        await tx.query({ text: "lock table pg_depend in access exclusive mode" });
        const cut = assert.rejects(db.read.query({ text: "select pg_sleep(20)" }), DatabaseUnavailableError);
        await untilSleeping(db, 1);
        await tx.query({
          text: "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = $1",
          values: [db.connection.database],
        });
        await cut;
        assert.deepEqual((await db.read.query({ text: "select 1 as one" })).rows, [{ one: 1 }]);
      });
    });

    test("listen: notifications arrive; after a lost connection it reconnects and reports it", async (t) => {
      const db = await testDatabase(t, server);
      const heard: string[] = [];
      let wake = Promise.withResolvers<void>();
      const back = Promise.withResolvers<void>();
      await db.listen(["news"], {
        onPayload(payload) {
          heard.push(payload);
          wake.resolve();
        },
        onReconnect: () => back.resolve(),
      });
      await db.write.query({ text: "select pg_notify('news', 'one')" });
      await wake.promise;
      wake = Promise.withResolvers();
      await db.write.query({
        text: "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = $1",
        values: [db.connection.database],
      });
      await back.promise;
      await db.write.query({ text: "select pg_notify('news', 'two')" });
      await wake.promise;
      assert.deepEqual(heard, ["one", "two"]);
    });

    test("checkDurability: a durable server is accepted; an unsafe one → one sentence", async (t) => {
      const db = await testDatabase(t, server);
      await checkDurability(db.write);
      await db.write.query({ text: `alter database ${db.connection.database} set synchronous_commit = off` });
      const later = openDatabase({ connection: db.connection, log: silentLog });
      await assert.rejects(checkDurability(later.write), {
        message:
          "Berth cannot use this PostgreSQL server: synchronous_commit is off and must be on, " +
          "else acknowledged data can be lost.",
      });
      await later.close();
    });
  });
}

test("reads and writes: no server → DatabaseUnavailableError within the time limit", async () => {
  const nowhere = {
    host: "/nonexistent",
    port: 5432,
    user: "berth",
    database: "berth",
    passwordFile: "/nonexistent",
  };
  const db = openDatabase({ connection: nowhere, log: silentLog });
  const begun = Date.now();
  await Promise.all([
    assert.rejects(db.write.query({ text: "select 1" }), DatabaseUnavailableError),
    assert.rejects(db.read.query({ text: "select 1" }), DatabaseUnavailableError),
  ]);
  assert.ok(Date.now() - begun < 30_000);
  await db.close();
});

/** Waits until the server itself reports `count` sleeping statements. */
async function untilSleeping(db: Awaited<ReturnType<typeof testDatabase>>, count: number): Promise<void> {
  const watcher = openDatabase({ connection: db.connection, log: silentLog });
  const text =
    "select count(*)::int as n from pg_stat_activity where wait_event = 'PgSleep' and datname = $1";
  for (let asleep = 0; asleep < count; ) {
    const { rows } = await watcher.write.query<{ n: number }>({ text, values: [db.connection.database] });
    asleep = rows[0]?.n ?? 0;
  }
  await watcher.close();
}
