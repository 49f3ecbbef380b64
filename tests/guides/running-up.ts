import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(import.meta.dirname, "../..");

export interface RunningUp {
  stop(): Promise<void>;
}

/**
 * Starts `script/up` like a user, with its state in `.berth` of a directory. Resolves when its first session
 * is over.
 */
export async function startUp(directory: string, settings: Record<string, string>): Promise<RunningUp> {
  const child = spawn(join(ROOT, "script/up"), [], {
    cwd: directory,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => errors.push(chunk));
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    if (!line.startsWith("For the guides")) continue;
    child.stdout.resume();
    return { stop: () => ended(child) };
  }
  throw new Error(`script/up ended:\n${errors.join("")}`);
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}
