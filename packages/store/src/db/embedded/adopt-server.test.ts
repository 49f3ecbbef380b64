// Subject: start-embedded-postgres.ts
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { processStart } from "@berth/linux";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";

test("adopt: the server's parent was killed → it is adopted with its rows, and stopped at the end", async (t) => {
  const instance = temporaryInstance(t);
  const child = instance.startInChild();
  const { pid, connection } = await child.ready;
  await withDatabase(connection, (db) => db.write.query({ text: "create table notes as select 1 as id" }));
  child.process.kill("SIGKILL");
  await child.exited;

  const server = await instance.start();
  assert.equal(server.adopted, true);
  assert.equal(server.pid, pid);
  const { rows } = await withDatabase(server.connection, (db) => db.read.query({ text: "table notes" }));
  assert.deepEqual(rows, [{ id: 1 }]);
  await server.stop();
  assert.equal(processStart(pid), undefined);
});

test("simultaneous starts share one server; the last user stops it", async (t) => {
  const instance = temporaryInstance(t);
  const child = instance.startInChild();
  const servers = await Promise.all([instance.start(), instance.start(), instance.start()]);
  const { pid, connection } = await child.ready;
  for (const server of servers) assert.equal(server.pid, pid);

  await Promise.all(servers.map((server) => server.stop()));
  await withDatabase(connection, (db) => db.write.query({ text: "select 1" }));
  child.process.kill("SIGTERM");
  await child.exited;
  assert.equal(processStart(pid), undefined);
});

test("the process that started the server stops while another uses it → the server keeps running", async (t) => {
  const instance = temporaryInstance(t);
  const child = instance.startInChild();
  await child.ready;
  const server = await instance.start();
  child.process.kill("SIGTERM");
  await child.exited;
  await withDatabase(server.connection, (db) => db.write.query({ text: "select 1" }));
});

test("a pid file with a reused pid → the server starts, and the other program is not signalled", async (t) => {
  const instance = temporaryInstance(t);
  await (await instance.start()).stop();
  const words = [process.pid, "x", 1, 5432, join(instance.dataDir, "socket"), "", "1 1", "ready", ""];
  writeFileSync(join(instance.dataDir, "cluster/postmaster.pid"), words.join("\n"));
  const server = await instance.start();
  assert.equal(server.adopted, false);
  await withDatabase(server.connection, (db) => db.write.query({ text: "select 1" }));
});

test("the password of a running server is wrong, empty or missing → one sentence, at once", async (t) => {
  const instance = temporaryInstance(t);
  const { connection } = await instance.start();
  const file = connection.passwordFile;
  for (const spoil of [
    () => writeFileSync(file, "wrong"),
    () => writeFileSync(file, ""),
    () => rmSync(file),
  ]) {
    spoil();
    const began = performance.now();
    await assert.rejects(instance.start(), /^Error: PostgreSQL rejects the password in .*: stop what uses/);
    assert.ok(performance.now() - began < 20_000, "it waited for a server that responds");
  }
});

test("a server in another container, with pids and memory of its own → one sentence, and it goes on undisturbed", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("needs root");
  const instance = temporaryInstance(t);
  const container = ["unshare", "--pid", "--ipc", "--fork", "--mount-proc", "--kill-child"];
  const child = instance.startInChild(container);
  // unshare does not forward signals.
  instance.onEnd(async () => void child.process.kill("SIGKILL"));
  const { connection } = await child.ready;
  await assert.rejects(instance.start(), /^Error: PostgreSQL of .* runs in another container/);
  await withDatabase(connection, (db) => db.write.query({ text: "create table notes as select 1 as id" }));
});
