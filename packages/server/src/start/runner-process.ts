/**
 * Program of the process that runs sessions, a child of the API process. When its parent exits for any
 * reason, this process exits at once, and all sandboxes with it.
 */
import { writeSync } from "node:fs";
import { inspect } from "node:util";
import { catchFaults } from "@berth/concurrency";
import type { DatabaseAddress } from "@berth/store/db";
import { createLog, createRedactor } from "@berth/store/log";
import type { Config } from "../config/config.ts";
import { exitAfterAnswer, parentCalls, reportSigns, type Signs } from "../processes/parent-calls.ts";
import type { Given } from "../processes/process-calls.ts";
import { type NoticeCalls, neighboursBehind } from "./notice-relay.ts";
import { type Runner, type RunnerState, startRunner } from "./runner.ts";

/** Calls that the runner accepts. */
export type RunnerCalls = NoticeCalls & {
  /**
   * Opens everything that needs no database. `start` reports its failures.
   * @param service Id of the service among those of the database.
   */
  prepare(given: { config: Config; service: string }): void;
  /** Opens the rest, and runs no sessions yet. `start` reports its failures. */
  connect(given: DatabaseAddress): void;
  /** Runs sessions, after connecting if necessary. @param crashed Pids of earlier processes that crashed. */
  start(given: { address: DatabaseAddress; crashed: readonly number[] }): void;
  /** Returns its metrics, in the form of `Registry.getMetricsAsJSON`. */
  measure(given: null): object[];
  stop(given: null): void;
};

export type RunnerSigns = Signs<RunnerState> & NoticeCalls;

/** Milliseconds that a start that is not ready yet has to end when the service stops. */
const ABORT_TIMEOUT_MS = 4_000;

catchFaults((error) => {
  writeSync(2, `${inspect(error)}\n`);
  process.exit(1);
});

const starting = new AbortController();
const address = Promise.withResolvers<DatabaseAddress>();
const asked = Promise.withResolvers<{ crashed: readonly number[] }>();
let running: Promise<Runner> | undefined;
let isReady = false;

const neighbours = neighboursBehind((notice) => calls.tell("notice", notice));
const calls = parentCalls<RunnerCalls, RunnerSigns>({
  notice: neighbours.heard,
  prepare(given) {
    running ??= start(given);
    running.catch(() => undefined);
  },
  connect: address.resolve,
  async start(given) {
    address.resolve(given.address);
    asked.resolve(given);
    const runner = await running?.catch((error: unknown) => {
      exitAfterAnswer(1);
      throw error;
    });
    if (runner === undefined) throw new Error("The runner is not prepared.");
    const tell = reportSigns(calls, () => runner.state());
    void runner.tried.then(tell);
  },
  measure: async () => (isReady ? ((await (await running)?.metrics()) ?? []) : []),
  stop: async () => {
    if (!isReady) {
      setTimeout(() => process.exit(1), ABORT_TIMEOUT_MS);
      starting.abort(new Error("The service is stopping."));
    }
    const runner = await running?.catch(() => undefined);
    await runner?.close();
    process.exit(0);
  },
});

async function start({ config, service }: Given<RunnerCalls, "prepare">): Promise<Runner> {
  const redactor = createRedactor();
  const log = createLog(config.logLevel, redactor).child({ part: "runner" });
  try {
    const parts = {
      config,
      address: address.promise,
      asked: asked.promise,
      log,
      redactor,
      neighbours: neighbours.of(service),
    };
    const runner = await startRunner(parts, starting.signal);
    isReady = true;
    return runner;
  } catch (error) {
    if (starting.signal.aborted) process.exit(0);
    log.fatal({ err: error }, "the runner could not start");
    throw error;
  }
}
