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
/** Milliseconds that a scrape waits for the metrics of a process. */
const MAX_MEASURE_MS = 1_000;
/**
 * Milliseconds of silence after which a process is killed. It sends a sign of life twice a second. The
 * requests of a frozen process would otherwise wait.
 */
const MAX_SILENCE_MS = 10_000;

/** Functions of the first process that all processes use. */
export interface FirstApi {
  server: Server;
  fault(): ServiceFault | null;
  renderMetrics(): Promise<RenderedMetrics>;
}

type Process = SupervisedProcess<FirstApiCalls, ApiCalls>;

/** The further processes of the API. They accept connections at the port of the first one. */
export class FurtherApis {
  readonly #processes: Process[];
  readonly #service: string;
  #first: FirstApi | undefined;

  /**
   * Forks the processes at once, so that they load while the database starts.
   * @param rates Rates of the service.
   */
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

  /** Resolves when all processes accept connections. Rejects with the error of one that cannot start. */
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

  /** Returns the metrics of each process that responds within a second, as JSON of its registry. */
  metrics(): Promise<object[][]> {
    return Promise.all(this.#processes.map((one) => one.callWithin(MAX_MEASURE_MS, "measure", null, [])));
  }

  /** Stops all processes. Each ends when its running requests have ended or were cut off. */
  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.stop()));
  }

  #known(): FirstApi {
    if (this.#first === undefined) throw new Error("The service is starting.");
    return this.#first;
  }
}
