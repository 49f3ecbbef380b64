import { DurableStreamTestServer } from "@durable-streams/server";

/** A server that is ready when its first stream exists, to which messages are sent. */
const server = new DurableStreamTestServer({
  port: Number(process.env.PORT),
  host: "127.0.0.1",
  dataDir: process.env.STORE,
});
await server.start();
const headers = { "content-type": "application/json" };
await fetch(`${server.url}/first`, { method: "PUT", headers });
