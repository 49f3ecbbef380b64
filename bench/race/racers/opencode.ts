import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../../tests/acceptance/harness/free-port.ts";
import { requestText } from "../../load.ts";
import { post } from "../post.ts";
import { startProgram } from "../program.ts";
import type { Lap, Place, Racer, Work } from "../racer.ts";
import { serverEvents } from "../server-events.ts";

const VERSION = "1.18.33";
/** The package with the program; `opencode-ai` only locates it, with an install script. */
const PACKAGE = `opencode-linux-${process.arch}`;

export const OPENCODE: Racer = {
  name: `opencode ${VERSION}`,
  durable: "a killed process loses nothing, a power cut can: SQLite, a log without fsync",
  packages: [`${PACKAGE}@${VERSION}`],
  async start({ installed, store, model }: Place) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const project = join(store, "project");
    await mkdir(project, { recursive: true });
    const program = join(installed, "node_modules", PACKAGE, "bin/opencode");
    const { pid, stop } = await startProgram(
      [program, "serve", "--hostname", "127.0.0.1", "--port", `${port}`],
      { cwd: project, env: environment({ installed, store, model }), url: `${url}/session?limit=20` },
    );
    return { url, pid, stop, work: () => work(url) };
  },
};

/**
 * Returns the variables. Files that the program downloads once are kept with the installation, so that they
 * delay no race.
 */
function environment({ installed, store, model }: Place): Record<string, string> {
  const options = { baseURL: model, apiKey: "none" };
  const local = { npm: "@ai-sdk/openai-compatible", options, models: { m: { name: "m" } } };
  return {
    HOME: join(installed, "home"),
    XDG_DATA_HOME: join(store, "data"),
    XDG_STATE_HOME: join(store, "state"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      model: "local/m",
      small_model: "local/m",
      provider: { local },
    }),
  };
}

async function work(url: string): Promise<Work> {
  const { id } = (await (await post(`${url}/session`, {})).json()) as { id: string };
  const stop = new AbortController();
  const stream = serverEvents(await fetch(`${url}/event`, { signal: stop.signal }));
  const messages = new Set<string>();
  return {
    create: () => requestText({ url }, "POST", "/session", {}),
    list: () => requestText({ url }, "GET", "/session?limit=20"),
    turn: () => turn(`${url}/session/${id}/prompt_async`, stream, messages),
    end: () => stop.abort(),
  };
}

/**
 * Runs a turn. @param messages ids of messages whose event has arrived; an event is repeated when it changes.
 */
async function turn(
  url: string,
  stream: ReturnType<typeof serverEvents>,
  messages: Set<string>,
): Promise<Lap> {
  const lap: Lap = { echoed: null, began: null, ended: null };
  const sent = performance.now();
  const posted = post(url, { parts: [{ type: "text", text: "Go on." }] });
  while (lap.ended === null) {
    const { value } = await stream.next();
    const since = performance.now() - sent;
    const { type, properties } = JSON.parse(value.data);
    if (type === "message.updated" && properties.info.role === "user" && !messages.has(properties.info.id)) {
      messages.add(properties.info.id);
      lap.echoed = since;
    }
    if (type === "session.status" && properties.status.type === "busy") lap.began ??= since;
    if (type === "session.idle") lap.ended = since;
  }
  await posted;
  return lap;
}
