import { Counter, Registry } from "prom-client";

/**
 * What became of a snapshot, or of a repository that could have had one: `used` as it was, `updated` after it was mounted, none (`cloned`),
 * `built`, or `evicted`.
 */
export type SnapshotEvent = "used" | "updated" | "cloned" | "built" | "evicted";

/** What the repository snapshots of this machine save, as metrics. */
export class SnapshotMetrics {
  readonly #events: Counter<"event">;

  constructor(registry = new Registry()) {
    this.#events = new Counter({
      name: "berth_repository_snapshots_total",
      help: "Repositories that were put in place from a snapshot or by a clone, and snapshots built and evicted.",
      labelNames: ["event"],
      registers: [registry],
    });
  }

  count(event: SnapshotEvent): void {
    this.#events.inc({ event });
  }
}
