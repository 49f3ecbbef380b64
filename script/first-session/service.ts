import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const berth = fileURLToPath(new URL("../../bin/berth", import.meta.url));

export interface Service {
  url: string;
  logFile: string;
  /** Resolves with its exit code, whenever it ends. */
  ended: Promise<number>;
  stop(): Promise<number>;
}

/** Starts `berth serve` on the data directory; its log goes to a file there. */
export async function startService(
  dataDir: string,
  port: string,
  settings: Record<string, string>,
): Promise<Service> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, "berth.log");
  const child = spawn(berth, ["serve", "--data-dir", dataDir, "--host", "127.0.0.1", "--port", port], {
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", openSync(logFile, "a", 0o600)],
    detached: true,
  });
  const ended = once(child, "exit").then(
    ([code, signal]) => (code as number | null) ?? (signal === null ? 1 : 130),
  );
  const url = await Promise.race([listening(child), ended.then(() => null)]);
  if (url === null) throw new Error(`Berth did not start; its log is ${logFile}`);
  async function stop(): Promise<number> {
    child.kill("SIGTERM");
    return ended;
  }
  return { url, logFile, ended, stop };
}

/** Makes a personal access token of a first user and leaves it in a file that only its owner reads. */
export async function makeToken(dataDir: string): Promise<{ token: string; file: string }> {
  const { stdout } = await promisify(execFile)(berth, [
    "token",
    "create",
    "--data-dir",
    dataDir,
    "--user",
    "you@localhost",
    "--role",
    "admin",
  ]);
  const file = join(dataDir, "token");
  await writeFile(file, stdout, { mode: 0o600 });
  return { token: stdout.trim(), file };
}

async function listening(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^berth: listening on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return null;
}
