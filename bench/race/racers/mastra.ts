import { cp } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../../tests/acceptance/harness/free-port.ts";
import { requestText } from "../../load.ts";
import { post } from "../post.ts";
import { startProgram } from "../program.ts";
import type { Lap, Place, Racer, Work } from "../racer.ts";
import { serverEvents } from "../server-events.ts";

const VERSION = "1.71.0";
const SERVER = join(import.meta.dirname, "../programs/mastra-server.mjs");
const THREADS = "/api/memory/threads?agentId=racer";

export const MASTRA: Racer = {
  name: `Mastra ${VERSION}`,
  durable: "a killed process loses nothing, a power cut can: SQLite, a log without fsync",
  packages: [
    `@mastra/core@${VERSION}`,
    "@mastra/hono@1.7.9",
    "@mastra/libsql@1.23.1",
    "@mastra/memory@1.31.0",
    "hono@4.13.19",
    "@hono/node-server@2.1.9",
  ],
  async start({ installed, store, model }: Place) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const server = join(installed, "server.mjs");
    await cp(SERVER, server);
    const { pid, stop } = await startProgram([process.execPath, server], {
      cwd: store,
      env: { MODEL_URL: model, PORT: `${port}`, STORE: store, MASTRA_TELEMETRY_DISABLED: "1" },
      url: `${url}/api/agents`,
    });
    return { url, pid, stop, work: () => work(url) };
  },
};

async function work(url: string): Promise<Work> {
  const { id } = (await (await post(`${url}${THREADS}`, { resourceId: "r" })).json()) as { id: string };
  return {
    create: () => requestText({ url }, "POST", THREADS, { resourceId: "r" }),
    list: () => requestText({ url }, "GET", `${THREADS}&resourceId=r&perPage=20`),
    turn: () => turn(`${url}/api/agents/racer/stream`, id),
    end: () => {},
  };
}

async function turn(url: string, thread: string): Promise<Lap> {
  const lap: Lap = { echoed: null, began: null, ended: null };
  const messages = [{ role: "user", content: "Go on." }];
  const sent = performance.now();
  const since = () => performance.now() - sent;
  for await (const _ of serverEvents(await post(url, { messages, memory: { thread, resource: "r" } })))
    lap.began ??= since();
  lap.ended = since();
  return lap;
}
