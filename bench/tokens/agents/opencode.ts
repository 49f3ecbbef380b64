import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../../tests/acceptance/harness/free-port.ts";
import { post } from "../../race/post.ts";
import { startProgram } from "../../race/program.ts";
import { serverEvents } from "../../race/server-events.ts";
import { ANTHROPIC } from "../wires/anthropic.ts";
import { checkout } from "./checkout.ts";
import type { Contender, Opened, Place } from "./contender.ts";

const VERSION = "1.18.33";
/** The package with the program; `opencode-ai` only locates it, with an install script. */
const PACKAGE = `opencode-linux-${process.arch}`;
const OUTPUT_TOKENS = 32_000;
/** A pattern that matches nothing: its summary requests declare no tools. */
const NEVER = /(?!)/;

export const OPENCODE: Contender = {
  ...{
    name: `opencode ${VERSION}`,
    packages: [`${PACKAGE}@${VERSION}`],
    wire: ANTHROPIC,
    summary: NEVER,
    open,
  },
};

async function open(place: Place): Promise<Opened> {
  const root = await checkout(place);
  const url = `http://127.0.0.1:${await freePort()}`;
  const program = join(place.installed, "node_modules", PACKAGE, "bin/opencode");
  const home = join(place.folder, "home");
  await mkdir(home);
  const { stop } = await startProgram(
    [program, "serve", "--hostname", "127.0.0.1", "--port", new URL(url).port],
    { cwd: root, env: environment(place, home), url: `${url}/session?limit=20` },
  );
  return {
    root,
    async session() {
      const { id } = (await (await post(`${url}/session`, {})).json()) as { id: string };
      const stop = new AbortController();
      const stream = serverEvents(await fetch(`${url}/event`, { signal: stop.signal }));
      return {
        async send(text) {
          await post(`${url}/session/${id}/prompt_async`, { parts: [{ type: "text", text }] });
          for (;;) {
            const { value } = await stream.next();
            const { type, properties } = JSON.parse(value.data);
            if (type === "session.idle" && properties.sessionID === id) return;
          }
        },
        close: async () => stop.abort(),
      };
    },
    close: stop,
  };
}

/**
 * Returns the variables. Files that the program downloads once are kept with the installation, so that they
 * delay no run.
 */
function environment({ installed, model, window }: Place, home: string): Record<string, string> {
  const options = { baseURL: `${model}/v1`, apiKey: "none" };
  const limit = { context: window, output: OUTPUT_TOKENS };
  const scripted = { npm: "@ai-sdk/anthropic", options, models: { "claude-sonnet": { name: "m", limit } } };
  return {
    HOME: join(installed, "home"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: "scripted/claude-sonnet", provider: { scripted } }),
  };
}
