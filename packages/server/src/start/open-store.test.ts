import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { readConfig } from "../config/read-config.ts";
import { openServer } from "./open-store.ts";

test("a database that answers the first connection too late → the start goes on with another one", async (t) => {
  const { host, port, user, database, passwordFile } = (await testDatabase(t)).connection;
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    sockets.push(client);
    if (sockets.length === 1) return;
    const server = connect(`${host}/.s.PGSQL.${port}`);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on("error", () => undefined);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const password = encodeURIComponent(readFileSync(passwordFile, "utf8"));
  const through = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const config = readConfig({ BERTH_DATABASE_URL: `postgres://${user}:${password}@${through}/${database}` });
  await openServer(config, silentLog, undefined, async () => undefined);
  assert.ok(sockets.length > 1);
});
