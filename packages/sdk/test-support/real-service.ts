import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../../tests/acceptance/harness/free-port.ts";

const binary = fileURLToPath(new URL("../../../bin/berth", import.meta.url));

/** Starts the real service as a process, with a data directory that is removed at the end of the test. */
export async function startRealService(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), "berth-sdk-"));
  let { child, url } = await serve(dataDir, String(await freePort()));
  let crashing: Promise<void> = Promise.resolve();
  t.after(async () => {
    // The service may already answer before it says that it listens.
    await crashing.catch(() => undefined);
    await end(child, "SIGTERM");
    await rm(dataDir, { recursive: true, force: true });
  });
  const create = ["bootstrap", "--data-dir", dataDir, "--user", "someone@example.com"];
  const token = (await promisify(execFile)(binary, create)).stdout.trim();
  return {
    url,
    token,
    /** Kills the service with SIGKILL and starts it again at the same address. */
    crash(): Promise<void> {
      crashing = (async () => {
        await end(child, "SIGKILL");
        ({ child, url } = await serve(dataDir, new URL(url).port));
      })();
      return crashing;
    },
  };
}

async function serve(dataDir: string, port: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(binary, ["serve", "--data-dir", dataDir, "--port", port, "--log-level", "error"], {
    env: { ...process.env, BERTH_ROOTFS: "host" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "exit").then(() => Promise.reject(new Error("the service did not start"))),
  ]);
  return { child, url: String(line).replace("berth: listening on ", "") };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
