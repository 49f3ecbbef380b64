import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { DatabaseAddress } from "../db/connection.ts";
import type { FromRunner, ToRunner } from "./runner-process.ts";

/** Beside this file, and TypeScript or JavaScript as it is. */
const PROGRAM = join(import.meta.dirname, `runner-process${extname(import.meta.filename)}`);
const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;
/** How long a draining runner has before it is killed. Its own grace period for turns is shorter. */
const STOP_TIMEOUT_MS = 20_000;

/** `starting`: also after it exited unexpectedly. `frozen`: it has not been heard of. `sandbox`: it can open none. */
export type RunnerFault = "starting" | "frozen" | "sandbox";

/** A scrape does not wait longer for a runner that hangs. */
const MAX_MEASURE_MS = 1_000;

/** A runner sends a sign of life twice a second. */
const MAX_SILENCE_MS = 3_000;

/** The runner's process, restarted whenever it exits unexpectedly. */
export interface SupervisedRunner {
  /** Starts the runner's work. Rejects with the runner's own error message when the first process cannot start. */
  start(config: Config, address: DatabaseAddress): Promise<void>;
  /** Why it runs no sessions now; null when it does. */
  fault(): RunnerFault | null;
  /** Its metrics, as `Registry.getMetricsAsJSON` returns them; none when it does not answer within a second. */
  metrics(): Promise<object[]>;
  /** Waits until running turns have reached a safe point. */
  stop(): Promise<void>;
}

/** Forks the runner immediately, so that it loads while the database starts. */
export function superviseRunner(log: Logger): SupervisedRunner {
  const stopping = new AbortController();
  let child = spawnRunner();
  let ready = false;
  let heardAt = 0;
  let opensSandboxes: boolean | null = null;
  let supervising: Promise<void> = Promise.resolve();

  async function begin(message: ToRunner): Promise<void> {
    opensSandboxes = null;
    child.on("message", (sign: FromRunner) => {
      if (sign.type !== "alive") return;
      heardAt = performance.now();
      opensSandboxes = sign.opensSandboxes;
    });
    await startWork(child, message);
    heardAt = performance.now();
    ready = true;
  }

  async function supervise(message: ToRunner): Promise<void> {
    for (let wait = MIN_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      await exited(child);
      if (stopping.signal.aborted) return;
      log.warn(
        { pid: child.pid, code: child.exitCode, signal: child.signalCode },
        "the runner exited unexpectedly; restarting it",
      );
      if (ready) wait = MIN_RETRY_MS;
      ready = false;
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      child = spawnRunner();
      begin(message).catch((error: Error) => log.error({ err: error }, "the runner could not be restarted"));
    }
  }

  return {
    fault() {
      if (ready && performance.now() - heardAt > MAX_SILENCE_MS) return "frozen";
      if (!ready || opensSandboxes === null) return "starting";
      return opensSandboxes ? null : "sandbox";
    },
    async start(config, address) {
      const message: ToRunner = { type: "start", config, address };
      await begin(message);
      supervising = supervise(message);
    },
    metrics: async () => (ready ? await measure(child) : []),
    async stop() {
      stopping.abort();
      ready = false;
      await drain(child);
      await supervising;
    },
  };
}

function spawnRunner(): ChildProcess {
  return fork(PROGRAM, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "json" });
}

/** Rejects with the runner's own error message. */
async function startWork(child: ChildProcess, message: ToRunner): Promise<void> {
  const reply = Promise.race([once(child, "message"), exited(child)]);
  child.send(message, () => undefined);
  const [received] = ((await reply) ?? []) as [FromRunner?];
  if (received?.type === "ready") return;
  throw new Error(
    received?.type === "failed" ? received.message : "The runner exited while it was starting.",
  );
}

let measurements = 0;

async function measure(child: ChildProcess): Promise<object[]> {
  measurements += 1;
  const id = measurements;
  const answer = Promise.withResolvers<object[]>();
  const take = (message: FromRunner) => {
    if (message.type === "measured" && message.id === id) answer.resolve(message.metrics);
  };
  const timer = setTimeout(() => answer.resolve([]), MAX_MEASURE_MS);
  child.on("message", take);
  child.send({ type: "measure", id } satisfies ToRunner, (error) => error && answer.resolve([]));
  try {
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    child.off("message", take);
  }
}

async function drain(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.send({ type: "stop" } satisfies ToRunner, () => undefined);
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited(child);
  clearTimeout(timer);
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
