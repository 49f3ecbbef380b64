import type { ChildProcess } from "node:child_process";
import type { DatabaseAddress } from "@berth/store/db";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { SupervisedProcess } from "../processes/supervised-process.ts";
import { Crashes } from "./crashes.ts";
import { RUNNER_PROGRAM } from "./fork-runner.ts";
import type { NoticeRelay } from "./notice-relay.ts";
import type { RunnerState } from "./runner.ts";
import type { RunnerCalls, RunnerSigns } from "./runner-process.ts";

/** A scrape does not wait longer for a runner that hangs. */
const MAX_MEASURE_MS = 1_000;

/** A runner sends a sign of life twice a second. */
const MAX_SILENCE_MS = 3_000;

/**
 * `starting`: also after it exited unexpectedly. `frozen`: it has not been heard of. `sandbox`: it can open none. `heartbeat`: it
 * reaches its database no longer.
 */
export type RunnerFault = "starting" | "frozen" | "sandbox" | "heartbeat";

const UNKNOWN: RunnerState = { opensSandboxes: null, isSeen: true };

/** The runner's process, restarted whenever it exits unexpectedly. */
export interface SupervisedRunner {
  /** Lets it open what needs the database. It runs no sessions yet. */
  connect(address: DatabaseAddress): void;
  /** Starts the runner's work. Rejects with the runner's own error message when the first process cannot start. */
  start(address: DatabaseAddress): Promise<void>;
  /** Why it runs no sessions now; null when it does. */
  fault(): RunnerFault | null;
  /** Its metrics, as `Registry.getMetricsAsJSON` returns them; none when it does not answer within a second. */
  metrics(): Promise<object[]>;
  /** Waits until running turns have reached a safe point. */
  stop(): Promise<void>;
}

export interface RunnerSupervision {
  config: Config;
  relay: NoticeRelay;
  log: Logger;
  /** The first process, where it was forked already. */
  first?: ChildProcess | undefined;
}

/** The runner loads, and prepares what needs no database, while the database starts. */
export function superviseRunner({ config, relay, log, first }: RunnerSupervision): SupervisedRunner {
  let state: RunnerState = UNKNOWN;
  const crashes = new Crashes();
  const hear = relay.add((notice) => child.tell("notice", notice));
  const child: SupervisedProcess<RunnerSigns, RunnerCalls> = new SupervisedProcess<RunnerSigns, RunnerCalls>({
    program: RUNNER_PROGRAM,
    name: "runner",
    log,
    first,
    exited: (exit) => crashes.exited(exit),
    calls: {
      alive: (told) => {
        state = told;
      },
      notice: hear,
    },
  });
  const prepare = () => child.tell("prepare", { config, service: relay.service });
  prepare();
  let isPrepared = true;
  return {
    fault() {
      if (child.isReady && child.silentMs > MAX_SILENCE_MS) return "frozen";
      if (!child.isReady || state.opensSandboxes === null) return "starting";
      if (!state.opensSandboxes) return "sandbox";
      return state.isSeen ? null : "heartbeat";
    },
    connect: (address) => child.tell("connect", address),
    start: (address) =>
      child.start(async () => {
        state = UNKNOWN;
        if (!isPrepared) prepare();
        isPrepared = false;
        await child.call("start", { address, crashed: crashes.pids });
      }),
    metrics: () => child.callWithin(MAX_MEASURE_MS, "measure", null, []),
    stop: () => child.stop(),
  };
}
