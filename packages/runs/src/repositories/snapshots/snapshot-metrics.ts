import { Counter, Registry } from "prom-client";

/**
 * An event of a repository: put in place from a snapshot as it is (`used`) or brought up to date (`updated`),
 * or by a clone (`cloned`). Or an event of a snapshot: `built` or `evicted`.
 */
export type SnapshotEvent = "used" | "updated" | "cloned" | "built" | "evicted";

/** Metrics of the use of repository snapshots on this machine. */
export class SnapshotMetrics {
  readonly #events: Counter<"event">;

  constructor(registry = new Registry()) {
    this.#events = new Counter({
      name: "berth_repository_snapshots_total",
      help: "Repositories placed from a snapshot or by a clone, and snapshots built and evicted.",
      labelNames: ["event"],
      registers: [registry],
    });
  }

  count(event: SnapshotEvent): void {
    this.#events.inc({ event });
  }
}
