import { serve } from "@hono/node-server";
import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { MastraServer } from "@mastra/hono";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { Hono } from "hono";

/** Serves Mastra's routes with one agent, whose threads are in a SQLite file. */
const { MODEL_URL: url, PORT, STORE } = process.env;
const storage = new LibSQLStore({ id: "store", url: `file:${STORE}/threads.db` });
const racer = new Agent({
  id: "racer",
  name: "racer",
  instructions: "Answer.",
  model: { id: "local/m", url, apiKey: "none" },
  memory: new Memory({ storage }),
});
const mastra = new Mastra({ agents: { racer }, storage, logger: false });
const app = new Hono();
await new MastraServer({ app, mastra, prefix: "/api" }).init();
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) });
