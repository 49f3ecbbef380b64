import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@berth/sandbox";
import { type BubblewrapOptions, createBubblewrapEngine } from "@berth/sandbox/bubblewrap";
import type { Tool, ToolContext } from "../src/tools/tool.ts";

/** A real sandbox without a network, for tests of tools. `close` removes everything. */
export interface RealSandbox {
  sandbox: Sandbox;
  /** Runs a tool with a validated input, as the loop does. */
  use(tool: Tool, input: unknown, more?: Partial<ToolContext>): Promise<{ text: string; isError: boolean }>;
  /** Runs a script that must succeed, and returns its output. */
  sh(script: string): Promise<string>;
  close(): Promise<void>;
}

export async function openRealSandbox(): Promise<RealSandbox> {
  const directory = await mkdtemp(join(tmpdir(), "berth-tools-"));
  const instance = `tools-${process.pid}`;
  const stateDir = join(directory, "state");
  const engine = await createBubblewrapEngine({ instance, stateDir, egress: noNetwork, certificates: [] });
  const sandbox = await engine.open({
    id: `tools_${process.pid}`,
    disk: join(directory, "disk"),
    uid: process.getuid?.() === 0 ? 72_000 : (process.getuid?.() ?? 0),
    limits: { memoryBytes: 512 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  });
  return {
    sandbox,
    use: (tool, input, more) => use(tool, input, { ...contextOf(sandbox), ...more }),
    sh: (script) => sh(sandbox, script),
    async close() {
      await engine.close();
      await rm(directory, { recursive: true });
    },
  };
}

function contextOf(sandbox: Sandbox): ToolContext {
  const { signal } = new AbortController();
  return { sandbox: async () => sandbox, environment: async () => ({ GREETING: "hello" }), signal };
}

async function use(tool: Tool, input: unknown, context: ToolContext) {
  const { content, isError } = await tool.run(tool.input.parse(input), context);
  const texts = content.map((block) => (block.type === "text" ? block.text : block.source.media_type));
  return { text: texts.join("\n"), isError };
}

async function sh(sandbox: Sandbox, script: string): Promise<string> {
  const { ended, exitCode, output } = await sandbox.run({ script, timeoutMs: 15_000 });
  const text = Buffer.from(output).toString("utf8");
  if (ended !== "exit" || exitCode !== 0) throw new Error(`${script}: ${ended} ${exitCode} ${text}`);
  return text;
}

/** Creates a network namespace with only a loopback interface, which is down. */
const noNetwork: BubblewrapOptions["egress"] = {
  async open() {
    const root = process.getuid?.() === 0;
    const options = root ? ["--net"] : ["--user", "--map-current-user", "--net"];
    const holder = spawn("unshare", [...options, "sh", "-c", "echo; read line"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    const netFd = openSync(`/proc/${holder.pid}/ns/net`, "r");
    const userFd = root ? null : openSync(`/proc/${holder.pid}/ns/user`, "r");
    const gone = once(holder, "exit");
    holder.stdin.end();
    await gone;
    holder.stdout.destroy();
    const open = new Set([netFd, ...(userFd === null ? [] : [userFd])]);
    return {
      netFd,
      userFd,
      setPolicy() {},
      watchDenied: () => () => [],
      async close() {
        for (const fd of open) closeSync(fd);
        open.clear();
      },
    };
  },
  async close() {},
};
