import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnyJson } from "../../../tests/acceptance/harness/api.ts";
import { LAST_WORDS } from "../scripted-model.ts";
import { ANTHROPIC } from "../wires/anthropic.ts";
import { checkout } from "./checkout.ts";
import type { Contender, Opened, Place } from "./contender.ts";
import { JsonLines } from "./json-lines.ts";

const VERSION = "0.74.2";
const PACKAGE = "@earendil-works/pi-coding-agent";
const OUTPUT_TOKENS = 32_000;
/** A pattern that matches nothing: its summary requests declare no tools. */
const NEVER = /(?!)/;

export const PI: Contender = {
  ...{ name: `pi ${VERSION}`, packages: [`${PACKAGE}@${VERSION}`], wire: ANTHROPIC, summary: NEVER, open },
};

async function open(place: Place): Promise<Opened> {
  const root = await checkout(place);
  const home = join(place.folder, "home");
  await mkdir(join(home, ".pi/agent"), { recursive: true });
  await writeFile(join(home, ".pi/agent/models.json"), JSON.stringify(models(place)));
  const program = join(place.installed, "node_modules", PACKAGE, "dist/cli.js");
  const command = [process.execPath, program, "--mode", "rpc", "--provider", "scripted", "--model", "m"];
  return {
    root,
    async session() {
      const lines = new JsonLines(command, { cwd: root, env: { HOME: home, PI_OFFLINE: "1" } });
      return {
        send: (message) => lines.ask({ type: "prompt", message }, isEnd),
        close: () => lines.stop(),
      };
    },
    close: async () => {},
  };
}

/**
 * Whether the turn is over. The loop also ends to compact and then continues, so the turn ends with the
 * model's last words.
 */
function isEnd({ type, messages }: AnyJson): boolean {
  return type === "agent_end" && JSON.stringify(messages.at(-1)).includes(LAST_WORDS);
}

function models({ model, window }: Place) {
  const sizes = { contextWindow: window, maxTokens: OUTPUT_TOKENS };
  const scripted = {
    baseUrl: model,
    api: "anthropic-messages",
    apiKey: "none",
    models: [{ id: "m", ...sizes }],
  };
  return { providers: { scripted } };
}
