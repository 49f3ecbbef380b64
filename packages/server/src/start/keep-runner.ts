import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { DatabaseAddress } from "../db/connection.ts";
import type { FromRunner, ToRunner } from "./runner-process.ts";

const program = fileURLToPath(new URL("./runner-process.ts", import.meta.url));
const LONGEST_PAUSE_MS = 5_000;
/** A runner that drains is given so long before it is killed; its own grace for turns is shorter. */
const STOP_MS = 20_000;

/** The runner's process, started again whenever it goes away unasked. */
export interface KeptRunner {
  /** Gives it its work; rejects with the runner's own sentence when the first one cannot start. */
  start(config: Config, address: DatabaseAddress): Promise<void>;
  isReady(): boolean;
  /** Lets running turns reach a safe point, and waits. */
  stop(): Promise<void>;
}

/** Forks the runner at once, so that it loads while the database starts. */
export function keepRunner(log: Logger): KeptRunner {
  const stopping = new AbortController();
  let child = spawnRunner();
  let ready = false;
  let keeping: Promise<void> = Promise.resolve();

  async function keep(message: ToRunner): Promise<void> {
    for (let wait = 50; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      await gone(child);
      if (stopping.signal.aborted) return;
      log.warn(
        { pid: child.pid, code: child.exitCode, signal: child.signalCode },
        "the runner ended unasked and is started again",
      );
      if (ready) wait = 50;
      ready = false;
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      child = spawnRunner();
      begin(child, message).then(
        () => (ready = true),
        (error: Error) => log.error({ err: error }, "the runner could not be started again"),
      );
    }
  }

  return {
    isReady: () => ready,
    async start(config, address) {
      const message: ToRunner = { type: "start", config, address };
      await begin(child, message);
      ready = true;
      keeping = keep(message);
    },
    async stop() {
      stopping.abort();
      ready = false;
      await end(child);
      await keeping;
    },
  };
}

function spawnRunner(): ChildProcess {
  return fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "json" });
}

async function begin(child: ChildProcess, message: ToRunner): Promise<void> {
  const answer = Promise.race([once(child, "message"), gone(child)]);
  child.send(message, () => undefined);
  const [told] = ((await answer) ?? []) as [FromRunner?];
  if (told?.type === "ready") return;
  throw new Error(told?.type === "failed" ? told.message : "The runner ended while it started.");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.send({ type: "stop" } satisfies ToRunner, () => undefined);
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await gone(child);
  clearTimeout(timer);
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
