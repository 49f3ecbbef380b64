import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { silentLog, testDatabase } from "../../test-support/database.ts";
import { checkPooler } from "./check-pooler.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import { readSchema } from "./migrate.ts";
import { openDatabase } from "./pool.ts";

/** An address where nothing listens. */
const NOWHERE = "127.0.0.1:1";

async function serverOf(t: TestContext) {
  const db = await testDatabase(t);
  const { host, port, user, database, passwordFile } = db.connection;
  const before = `postgres://${user}:${encodeURIComponent(readFileSync(passwordFile, "utf8"))}@`;
  const hosts = `${encodeURIComponent(host)}:${port}`;
  return {
    db,
    name: `${host}:${port}`,
    database,
    url: (list: string) => `${before}${list}/${database}`,
    hosts,
  };
}

function opened(t: TestContext, url: string) {
  const database = openDatabase({ url, log: silentLog });
  t.after(() => database.close());
  return database;
}

describe("several servers", () => {
  test("the first one is away → writes, reads, what listens and migrations use the second", async (t) => {
    const { url, hosts } = await serverOf(t);
    const address = { url: url(`${NOWHERE},${hosts}`) };
    const database = opened(t, address.url);
    const heard = Promise.withResolvers<string>();
    await database.listen(["news"], { onPayload: heard.resolve, onReconnect: () => undefined });
    await Promise.all([
      database.write.query({ text: "select pg_notify('news', 'one')" }),
      database.read.query({ text: "select 1" }),
    ]);
    assert.equal(await heard.promise, "one");
    assert.deepEqual((await readSchema(address)).pending, []);
    await checkPooler({ url: url(`${NOWHERE},${hosts}`), direct: url(`${hosts},${NOWHERE}`) });
  });

  test("one accepts connections and says nothing → the other is found in time", async (t) => {
    const silent = createServer().listen(0, "127.0.0.1");
    t.after(() => silent.close());
    const sockets = new Set<{ destroy(): void }>();
    silent.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)));
    t.after(() => sockets.forEach((socket) => void socket.destroy()));
    const { url, hosts } = await serverOf(t);
    const { port } = silent.address() as { port: number };
    const database = opened(t, url(`127.0.0.1:${port},${hosts}`));
    assert.deepEqual((await database.write.query({ text: "select 1 as one" })).rows, [{ one: 1 }]);
  });

  test("the connection that listens breaks → it is back, past a server that is away", async (t) => {
    const { db, url, hosts } = await serverOf(t);
    const back = Promise.withResolvers<void>();
    const database = opened(t, url(`${hosts},${NOWHERE}`));
    await database.listen(["news"], { onPayload: () => undefined, onReconnect: back.resolve });
    await db.write.query({
      text: "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    });
    await back.promise;
  });

  test("none accepts writes → one sentence with what is wrong with each, without the password", async (t) => {
    const { db, url, hosts, name, database } = await serverOf(t);
    await db.write.query({ text: `alter database ${database} set default_transaction_read_only = on` });
    const why = `${name} accepts no writes: default_transaction_read_only is on`;
    const all = opened(t, url(`${NOWHERE},${hosts}`));
    const alone = opened(t, url(hosts));
    await Promise.all([
      assert.rejects(all.write.query({ text: "select 1" }), {
        name: "DatabaseUnavailableError",
        message: `The database is not available: none of its servers accepts writes (${NOWHERE}: connect ECONNREFUSED ${NOWHERE}; ${why})`,
      }),
      assert.rejects(alone.read.query({ text: "select 1" }), {
        name: "DatabaseUnavailableError",
        message: `The database is not available: ${why}`,
      }),
    ]);
  });
});

test("a server refuses a write that it accepted before → an outage, and the next write has another connection", async (t) => {
  const { url, hosts } = await serverOf(t);
  const database = opened(t, url(hosts));
  const pid = async () =>
    (await database.write.query({ text: "select pg_backend_pid() as pid" })).rows[0]?.pid;
  const first = await pid();
  await database.write.query({ text: "set default_transaction_read_only = on" });
  await assert.rejects(
    database.write.query({ text: "create table notes (id int)" }),
    DatabaseUnavailableError,
  );
  assert.notEqual(await pid(), first);
});
