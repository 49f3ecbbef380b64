import { cp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../../tests/acceptance/harness/free-port.ts";
import { requestText } from "../../load.ts";
import { post } from "../post.ts";
import { startProgram } from "../program.ts";
import type { Lap, Place, Racer, Work } from "../racer.ts";
import { serverEvents } from "../server-events.ts";

const VERSION = "1.4.6";
const FLAGS = ["--no-browser", "--no-reload"];
const GRAPH = join(import.meta.dirname, "../programs/graph.mjs");

/** LangGraph's development server, which is the one in the packages, without reloading of changed files. */
export const LANGGRAPH: Racer = {
  name: `LangGraph ${VERSION}`,
  durable: "no: in memory, and in a file three seconds after the last write",
  packages: [
    `@langchain/langgraph-cli@${VERSION}`,
    `@langchain/langgraph-api@${VERSION}`,
    "@langchain/langgraph@1.4.0",
    "@langchain/core@1.4.0",
  ],
  async start({ installed, store, model }: Place) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await makeProject(store, installed);
    const program = join(installed, "node_modules/.bin/langgraphjs");
    const { pid, stop } = await startProgram(
      [process.execPath, program, "dev", "--host", "127.0.0.1", "--port", `${port}`, ...FLAGS],
      {
        cwd: store,
        // The default loader does not support an argument that it gets with `--no-reload`.
        env: { MODEL_URL: model, LANGGRAPH_NODE_LOADER: "tsx/esm", LANGGRAPH_CLI_NO_ANALYTICS: "1" },
        url: `${url}/ok`,
      },
    );
    return { url, pid, stop, work: () => work(url) };
  },
};

/** Makes a project. The server resolves the graph's imports from the folder of its configuration. */
async function makeProject(store: string, installed: string): Promise<void> {
  await cp(GRAPH, join(store, "graph.mjs"));
  await writeFile(join(store, "langgraph.json"), JSON.stringify({ graphs: { racer: "./graph.mjs:graph" } }));
  await rm(join(store, "node_modules"), { force: true });
  await symlink(join(installed, "node_modules"), join(store, "node_modules"));
}

async function work(url: string): Promise<Work> {
  const { thread_id } = (await (await post(`${url}/threads`, {})).json()) as { thread_id: string };
  return {
    create: () => requestText({ url }, "POST", "/threads", {}),
    list: () => requestText({ url }, "POST", "/threads/search", { limit: 20 }),
    turn: () => turn(`${url}/threads/${thread_id}/runs/stream`),
    end: () => {},
  };
}

async function turn(url: string): Promise<Lap> {
  const lap: Lap = { echoed: null, began: null, ended: null };
  const input = { messages: [{ role: "user", content: "Go on." }] };
  const sent = performance.now();
  const since = () => performance.now() - sent;
  for await (const { event } of serverEvents(
    await post(url, { assistant_id: "racer", input, stream_mode: ["values"] }),
  )) {
    lap.began ??= since();
    // The first values are the thread with the message.
    if (event === "values") lap.echoed ??= since();
  }
  lap.ended = since();
  return lap;
}
