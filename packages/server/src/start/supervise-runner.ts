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

/** Milliseconds that a scrape waits for the runner's metrics. */
const MAX_MEASURE_MS = 1_000;

/**
 * Milliseconds of silence after which the runner counts as frozen. It sends a sign of life twice a second.
 */
const MAX_SILENCE_MS = 3_000;

/**
 * `starting` also covers a restart after an unexpected exit. `frozen` means that no sign of life has arrived,
 * `sandbox` that it can open no sandbox, `heartbeat` that it cannot reach its database.
 */
export type RunnerFault = "starting" | "frozen" | "sandbox" | "heartbeat";

const UNKNOWN: RunnerState = { opensSandboxes: null, isSeen: true };

/** The runner's process, restarted whenever it exits unexpectedly. */
export interface SupervisedRunner {
  /** Lets the runner open the parts that need the database. It runs no sessions yet. */
  connect(address: DatabaseAddress): void;
  /**
   * Starts the runner's work. Rejects with the runner's own error message when the first process cannot
   * start.
   */
  start(address: DatabaseAddress): Promise<void>;
  /** Returns why the runner runs no sessions, or null when it does. */
  fault(): RunnerFault | null;
  /** Returns its metrics as JSON of its registry, or an empty list when it does not respond in a second. */
  metrics(): Promise<object[]>;
  /** Stops the runner after running turns have reached a safe point. */
  stop(): Promise<void>;
}

export interface RunnerSupervision {
  config: Config;
  relay: NoticeRelay;
  log: Logger;
  /** The first process, if it was forked already. */
  first?: ChildProcess | undefined;
}

/** Starts the runner's process. It loads, and prepares what needs no database, while the database starts. */
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
