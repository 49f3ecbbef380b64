import { DurableStreamTestServer } from "@durable-streams/server";

/** Runs a server that is ready once its first stream exists, which messages are sent to. */
const server = new DurableStreamTestServer({
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  dataDir: process.env.STORE,
});
await server.start();
const headers = { "content-type": "application/json" };
await fetch(`${server.url}/first`, { method: "PUT", headers });
