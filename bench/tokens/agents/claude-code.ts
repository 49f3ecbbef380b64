import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ANTHROPIC } from "../wires/anthropic.ts";
import { checkout } from "./checkout.ts";
import type { Contender, Opened, Place } from "./contender.ts";
import { JsonLines } from "./json-lines.ts";

const VERSION = "2.1.197";
/** The package with the program; `@anthropic-ai/claude-code` only locates it, with an install script. */
const PACKAGE = `@anthropic-ai/claude-code-linux-${process.arch}`;
const ARGUMENTS = [
  ...["--print", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
  ...["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
];
/** The model's window that the program assumes. */
const USUAL_WINDOW = 200_000;

export const CLAUDE_CODE: Contender = {
  name: `Claude Code ${VERSION}`,
  packages: [`${PACKAGE}@${VERSION}`],
  wire: ANTHROPIC,
  summary: /create a detailed summary of/i,
  open,
};

async function open(place: Place): Promise<Opened> {
  const root = await checkout(place);
  const home = join(place.folder, "home");
  await mkdir(home);
  const program = join(place.installed, "node_modules", PACKAGE, "claude");
  const env = environment(place, home);
  return {
    root,
    async session() {
      const lines = new JsonLines([program, ...ARGUMENTS], { cwd: root, env });
      return {
        send: (text) =>
          lines.ask(
            { type: "user", message: { role: "user", content: [{ type: "text", text }] } },
            ({ type }) => type === "result",
          ),
        close: () => lines.stop(),
      };
    },
    close: async () => {},
  };
}

function environment({ model, window }: Place, home: string): Record<string, string> {
  return {
    HOME: home,
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "none",
    // As root it rejects a flag that skips questions, unless it is told that it is in a sandbox.
    IS_SANDBOX: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ...(window === USUAL_WINDOW ? {} : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: `${window}` }),
  };
}
