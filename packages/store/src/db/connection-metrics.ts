import { Counter, Gauge, type Registry } from "prom-client";

/** The connections of one process for writes and transactions. */
export interface ConnectionState {
  busy: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
  /** Connections taken since the process started, and the total time that callers waited for them. */
  taken: number;
  waitedSeconds: number;
}

export type MeasuredConnections = () => ConnectionState;

/**
 * Adds metrics of the connections to a registry.
 * @param process Label of each series; both processes of a service have these metrics.
 */
export function addConnectionMetrics(
  registry: Registry,
  connections: MeasuredConnections,
  process: string,
): void {
  const common = { registers: [registry], labelNames: ["process", "state"] };
  new Gauge({
    ...common,
    name: "berth_database_connections",
    help: "Database connections for writes, by state; waiting: callers that wait for a connection.",
    collect() {
      const { busy, idle, waiting } = connections();
      for (const [state, count] of Object.entries({ busy, idle, waiting }))
        this.set({ process, state }, count);
    },
  });
  total(
    "berth_database_connections_taken_total",
    "Number of times that a connection for writes was taken.",
    "taken",
  );
  total(
    "berth_database_wait_seconds_total",
    "Time that callers waited for a connection for writes.",
    "waitedSeconds",
  );

  function total(name: string, help: string, key: "taken" | "waitedSeconds"): void {
    new Counter({
      ...common,
      labelNames: ["process"],
      name,
      help,
      collect() {
        this.reset();
        this.inc({ process }, connections()[key]);
      },
    });
  }
}
