import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { processStart } from "@berth/linux";
import { temporaryPlace, withDatabase } from "../../../test-support/embedded-postgres.ts";

test("a server whose parent was killed is adopted with its rows, and stopped in the end", async (t) => {
  const place = temporaryPlace(t);
  const child = place.startInChild();
  const { pid, connection } = await child.ready;
  await withDatabase(connection, (db) => db.write.query({ text: "create table notes as select 1 as id" }));
  child.process.kill("SIGKILL");
  await child.exited;

  const server = await place.start();
  assert.equal(server.adopted, true);
  assert.equal(server.pid, pid);
  const { rows } = await withDatabase(server.connection, (db) => db.read.query({ text: "table notes" }));
  assert.deepEqual(rows, [{ id: 1 }]);
  await server.stop();
  assert.equal(processStart(pid), undefined);
});

test("starts at the same instant share one server, which the last one stops", async (t) => {
  const place = temporaryPlace(t);
  const child = place.startInChild();
  const servers = await Promise.all([place.start(), place.start(), place.start()]);
  const { pid, connection } = await child.ready;
  for (const server of servers) assert.equal(server.pid, pid);

  await Promise.all(servers.map((server) => server.stop()));
  await withDatabase(connection, (db) => db.write.query({ text: "select 1" }));
  child.process.kill("SIGTERM");
  await child.exited;
  assert.equal(processStart(pid), undefined);
});

test("the server outlives the process that started it while another uses it", async (t) => {
  const place = temporaryPlace(t);
  const child = place.startInChild();
  await child.ready;
  const server = await place.start();
  child.process.kill("SIGTERM");
  await child.exited;
  await withDatabase(server.connection, (db) => db.write.query({ text: "select 1" }));
});

test("a pid file that names another program by now hinders no start and harms no program", async (t) => {
  const place = temporaryPlace(t);
  await (await place.start()).stop();
  const words = [process.pid, "x", 1, 5432, join(place.dataDir, "socket"), "", "1 1", "ready", ""];
  writeFileSync(join(place.dataDir, "cluster/postmaster.pid"), words.join("\n"));
  const server = await place.start();
  assert.equal(server.adopted, false);
  await withDatabase(server.connection, (db) => db.write.query({ text: "select 1" }));
});
