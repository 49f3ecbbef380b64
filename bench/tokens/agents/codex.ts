import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RESPONSES } from "../wires/responses.ts";
import { checkout } from "./checkout.ts";
import type { Contender, Opened, Place } from "./contender.ts";
import { JsonLines } from "./json-lines.ts";

const VERSION = "0.171.0";
/** The package with the program; `@openai/codex` without a platform in its version only locates it. */
const PACKAGE = `@openai/codex@${VERSION}-linux-${process.arch}`;
const TARGET = process.arch === "arm64" ? "aarch64-unknown-linux-musl" : "x86_64-unknown-linux-musl";
const PROGRAM = `node_modules/@openai/codex/vendor/${TARGET}/bin/codex`;
const FLAGS = ["--json", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check"];

export const CODEX: Contender = {
  name: `codex ${VERSION}`,
  packages: [PACKAGE],
  wire: RESPONSES,
  summary: /CONTEXT CHECKPOINT COMPACTION|create a handoff summary/i,
  open,
};

async function open(place: Place): Promise<Opened> {
  const root = await checkout(place);
  const home = join(place.folder, "home");
  await mkdir(join(home, ".codex"), { recursive: true });
  await writeFile(join(home, ".codex/config.toml"), config(place));
  const run = async (...args: string[]) => {
    const env = { HOME: home, BENCH_KEY: "none" };
    const { code, last } = await new JsonLines([join(place.installed, PROGRAM), "exec", ...args], {
      cwd: root,
      env,
    }).ended();
    if (code !== 0) throw new Error(`it ended with ${code}: ${last}`);
  };
  return {
    root,
    async session() {
      let turns = 0;
      return {
        send: (text) => (turns++ === 0 ? run(...FLAGS, text) : run("resume", ...FLAGS, "--last", text)),
        close: async () => {},
      };
    },
    close: async () => {},
  };
}

function config({ model, window }: Place): string {
  return `model = "gpt-5-codex"
model_provider = "scripted"
model_context_window = ${window}

[model_providers.scripted]
name = "Scripted"
base_url = "${model}/v1"
env_key = "BENCH_KEY"
wire_api = "responses"
`;
}
