import type { LimitCounts, LimitGauge } from "../commands/limit-gauge.ts";
import type { Supervisor } from "../commands/supervisor.ts";

/** Asks process 1 of the sandbox, which sees the control group of its container. */
export class PodGauge implements LimitGauge {
  readonly #supervisor: Supervisor;

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor;
  }

  /** Requests arrive in the order in which they are made: one that is made before a command starts counts before it. */
  async counts(): Promise<LimitCounts> {
    return { memory: (await this.#supervisor.request("killed")) ?? 0, processes: 0 };
  }

  crowded(): boolean {
    return false;
  }
}
