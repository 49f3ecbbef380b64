import type { Server } from "node:net";
import type { ServiceFault } from "@berth/api/features";
import type { RenderedMetrics } from "@berth/api/http";
import type { DatabaseAddress } from "@berth/store/db";
import type { RateGroups } from "@berth/store/limits";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { SupervisedProcess } from "../processes/supervised-process.ts";
import type { ApiCalls, FirstApiCalls } from "./api-process.ts";
import { childProgram } from "./child-program.ts";
import type { NoticeRelay } from "./notice-relay.ts";
import { rateHandlers } from "./shared-rates.ts";

const PROGRAM = childProgram("api-process");
/** A scrape does not wait longer for a process that hangs. */
const MAX_MEASURE_MS = 1_000;
/** It says twice a second that it lives. The requests of one that is frozen would wait until it goes on. */
const MAX_SILENCE_MS = 10_000;

/** What the first process knows for all. */
export interface FirstApi {
  server: Server;
  fault(): ServiceFault | null;
  renderMetrics(): Promise<RenderedMetrics>;
}

type Process = SupervisedProcess<FirstApiCalls, ApiCalls>;

/** The further processes of the API: they accept connections at the same port as the first one, each whenever it is free. */
export class FurtherApis {
  readonly #processes: Process[];
  readonly #service: string;
  #first: FirstApi | undefined;

  /** Forks them immediately, so that they load while the database starts. @param rates of the whole service. */
  constructor(count: number, { rates, relay, log }: { rates: RateGroups; relay: NoticeRelay; log: Logger }) {
    this.#service = relay.service;
    const calls = {
      alive: () => undefined,
      ...rateHandlers(rates),
      fault: () => this.#known().fault(),
      renderMetrics: () => this.#known().renderMetrics(),
    };
    const options = { program: PROGRAM, name: "API process", log, killAfterMs: MAX_SILENCE_MS };
    this.#processes = Array.from({ length: count }, () => {
      const hear = relay.add((notice) => one.tell("notice", notice));
      const one: Process = new SupervisedProcess<FirstApiCalls, ApiCalls>({
        ...options,
        calls: { ...calls, notice: hear },
      });
      return one;
    });
  }

  /** Resolves when all accept connections. Rejects with the error message of one that cannot start. */
  async start(config: Config, address: DatabaseAddress, first: FirstApi): Promise<void> {
    this.#first = first;
    const starts = this.#processes.map((one, index) =>
      one.start(async () => {
        const given = { config, address, name: `api_${index + 2}`, service: this.#service };
        await one.call("start", given);
        await one.call("join", null, first.server);
      }),
    );
    await Promise.all(starts);
  }

  /** As `Registry.getMetricsAsJSON` returns them, of each that answers within a second. */
  metrics(): Promise<object[][]> {
    return Promise.all(this.#processes.map((one) => one.callWithin(MAX_MEASURE_MS, "measure", null, [])));
  }

  /** Each accepts no more connections, and ends when the running requests have ended, or were cut off. */
  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.stop()));
  }

  #known(): FirstApi {
    if (this.#first === undefined) throw new Error("The service is starting.");
    return this.#first;
  }
}
