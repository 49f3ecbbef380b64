import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fstatSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const berth = fileURLToPath(new URL("../../bin/berth", import.meta.url));

export interface Service {
  url: string;
  logFile: string;
  /** Resolves with its exit code, whenever it ends. */
  ended: Promise<number>;
  stop(): Promise<number>;
}

/** Starts `berth serve` on the data directory; its log goes to a file there. Rejects with its own sentence when it ends.
 * It has a process group of its own, so that a Ctrl-C reaches it only in its turn, and ends when this process is killed. */
export async function startService(
  dataDir: string,
  port: string,
  settings: Record<string, string>,
): Promise<Service> {
  const logFile = join(dataDir, "berth.log");
  const log = openSync(logFile, "a", 0o600);
  const { size } = fstatSync(log);
  const child = spawn(
    "setpriv",
    ["--pdeathsig", "TERM", berth, "serve", "--data-dir", dataDir, "--host", "127.0.0.1", "--port", port],
    {
      env: { ...process.env, ...settings },
      stdio: ["ignore", "pipe", log],
      detached: true,
    },
  );
  const ended = once(child, "exit").then(
    ([code, signal]) => (code as number | null) ?? (signal === null ? 1 : 130),
  );
  const url = await Promise.race([listening(child), ended.then(() => null)]);
  if (url === null) throw new Error(await reason(logFile, size));
  async function stop(): Promise<number> {
    child.kill("SIGTERM");
    return ended;
  }
  return { url, logFile, ended, stop };
}

/** What `berth serve` said last, which is why it ended. */
async function reason(logFile: string, from: number): Promise<string> {
  const text = (await readFile(logFile)).subarray(from).toString();
  const said = /^error: ([\s\S]+)/m.exec(text)?.[1]?.trim();
  return said ?? `Berth did not start; its log is ${logFile}`;
}

async function listening(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^berth: listening on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return null;
}
