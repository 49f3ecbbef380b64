import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { processStart } from "@berth/linux";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";
import { checkDurability } from "../check-durability.ts";

const notRoot = process.getuid?.() !== 0 && "needs root";

test("start: the first creates a cluster, a later one finds its rows", async (t) => {
  const instance = temporaryInstance(t);
  const first = await instance.start();
  await withDatabase(first.connection, async (db) => {
    await checkDurability(db.write);
    await db.write.query({ text: "create table notes as select 1 as id" });
  });
  await first.stop();
  await first.exited;
  assert.equal(processStart(first.pid), undefined);

  const second = await instance.start();
  assert.equal(second.adopted, false);
  const { rows } = await withDatabase(second.connection, (db) => db.read.query({ text: "table notes" }));
  assert.deepEqual(rows, [{ id: 1 }]);
});

test("start as root: the server runs as an unprivileged user", { skip: notRoot }, async (t) => {
  const server = await temporaryInstance(t).start();
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  assert.doesNotMatch(status, /^Uid:.*\s0\s/m);
  assert.match(status, /^CapEff:\s+0+$/m);
});

test("start without root: the server runs as the same user", { skip: notRoot }, async (t) => {
  const instance = temporaryInstance(t);
  const child = instance.startInChild(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
  const { pid } = await child.ready;
  assert.match(readFileSync(`/proc/${pid}/status`, "utf8"), /^Uid:\s+65534/m);
  child.process.kill("SIGTERM");
  await child.exited;
  assert.equal(processStart(pid), undefined);
});

test("a server without fsync → an error that lists every problem", async (t) => {
  const instance = temporaryInstance(t);
  await (await instance.start()).stop();
  const settings = "fsync = off\nfull_page_writes = off\n";
  writeFileSync(join(instance.dataDir, "cluster/postgresql.auto.conf"), settings);
  const { connection } = await instance.start();
  await withDatabase(connection, (db) =>
    assert.rejects(checkDurability(db.write), /fsync is off and must be on.*; full_page_writes is off/),
  );
});

test("a data directory path too long for a socket → it works, and nothing is left elsewhere", async (t) => {
  const server = await temporaryInstance(t, { below: "d".repeat(120) }).start();
  const { host } = server.connection;
  assert.ok(host.startsWith("/tmp/berth-"));
  await withDatabase(server.connection, (db) => db.write.query({ text: "select 1" }));
  await server.stop();
  assert.ok(!existsSync(join(host, "..")));
});

test("a data directory that the server's user cannot traverse to → it works", {
  skip: notRoot,
}, async (t) => {
  const server = await temporaryInstance(t, { mode: 0o700 }).start();
  await withDatabase(server.connection, (db) => db.write.query({ text: "select 1" }));
});

test("an interrupted initdb → it is run again", async (t) => {
  const instance = temporaryInstance(t);
  mkdirSync(join(instance.dataDir, "cluster.partial-a/base"), { recursive: true });
  await instance.start();
  assert.ok(!existsSync(join(instance.dataDir, "cluster.partial-a")));
});

test("a cluster of another major version → an error of one sentence", async (t) => {
  const instance = temporaryInstance(t);
  await (await instance.start()).stop();
  writeFileSync(join(instance.dataDir, "cluster/PG_VERSION"), "14\n");
  await assert.rejects(
    instance.start(),
    /written by PostgreSQL 14, and .* is PostgreSQL \d+: set BERTH_PG_BIN to the bin directory of a PostgreSQL 14\.$/,
  );
});
