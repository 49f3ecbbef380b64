import type { LimitCounts, LimitGauge } from "../commands/limit-gauge.ts";
import type { Supervisor } from "../commands/supervisor.ts";

/** Reads counters through process 1 of the sandbox, which sees the control group of its container. */
export class PodGauge implements LimitGauge {
  readonly #supervisor: Supervisor;

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor;
  }

  /** Requests arrive in order, so a count that is requested before a command starts does not include it. */
  async counts(): Promise<LimitCounts> {
    return { memory: (await this.#supervisor.request("killed")) ?? 0, processes: 0 };
  }

  crowded(): boolean {
    return false;
  }
}
