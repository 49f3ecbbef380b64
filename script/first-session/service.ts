import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fstatSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { acceptsToken } from "./token.ts";

const BERTH = fileURLToPath(new URL("../../bin/berth", import.meta.url));

export interface Service {
  url: string;
  logFile: string;
  /** Resolves with the exit code when the service ends. */
  ended: Promise<number>;
  stop(): Promise<number>;
}

/**
 * Throws if a Berth already serves this data directory. Two services would share the sessions, but only one
 * of them knows the first session's git server. `client.json` has the service's address, and the file `token`
 * beside it the token.
 */
export async function requireNoOtherService(dataDir: string): Promise<void> {
  const read = (name: string) => readFile(join(dataDir, name), "utf8");
  const [client, token] = await Promise.all([read("client.json"), read("token")]).catch(() => ["{}", ""]);
  const { url } = JSON.parse(client) as { url?: string };
  if (url === undefined || !(await acceptsToken(url, token.trim()))) return;
  throw new Error(
    `Berth already runs on ${dataDir}, at ${url}. Stop it first, or choose another --data-dir and --port.`,
  );
}

/**
 * Starts `berth serve` on the data directory and writes its log to a file there. Rejects with the service's
 * own message if it ends early. The service has its own process group, so Ctrl-C does not reach it directly.
 * It ends when this process is killed.
 */
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
    ["--pdeathsig", "TERM", BERTH, "serve", "--data-dir", dataDir, "--host", "127.0.0.1", "--port", port],
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
  if (url === null) throw new Error(await lastError(logFile, size));
  async function stop(): Promise<number> {
    child.kill("SIGTERM");
    return ended;
  }
  return { url, logFile, ended, stop };
}

/** Returns the last error that `berth serve` wrote to its log after position `from`. */
async function lastError(logFile: string, from: number): Promise<string> {
  const text = (await readFile(logFile)).subarray(from).toString();
  const message = /^error: ([\s\S]+)/m.exec(text)?.[1]?.trim();
  return message ?? `Berth did not start. Its log is ${logFile}`;
}

/** Returns the address of the service; null if its output ends before it listens. */
async function listening(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null;
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^berth: listening on (https?:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return null;
}
