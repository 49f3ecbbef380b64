import { Gauge, Histogram, Registry } from "prom-client";
import type { Queryable } from "../db/statement.ts";

/** What `/metrics` tells. Labels are names of operations and statuses, never ids. */
export interface Metrics {
  answered(operation: string, status: number, milliseconds: number): void;
  /** The text form of Prometheus, and its content type. */
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(db: Queryable): Metrics {
  const registry = new Registry();
  const requests = new Histogram({
    name: "berth_http_request_seconds",
    help: "Time from a request to the end of its answer, by operation and status.",
    labelNames: ["operation", "status"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: "berth_sessions",
    help: "Sessions that are not archived, by status.",
    labelNames: ["status"] as const,
    registers: [registry],
    async collect() {
      for (const { status, count } of await sessionsByStatus(db)) this.set({ status }, count);
    },
  });
  new Gauge({
    name: "berth_resident_memory_bytes",
    help: "Resident memory of this process.",
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return {
    answered: (operation, status, milliseconds) =>
      requests.observe({ operation, status: String(status) }, milliseconds / 1_000),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Every status, also those that no session has. */
async function sessionsByStatus(db: Queryable): Promise<{ status: string; count: number }[]> {
  const { rows } = await db.query<{ status: string; count: number }>({
    name: "sessions_by_status",
    text: `
      select status, (select count(*) from sessions where sessions.status = known.status and archived_at is null
        and deleted_at is null) as count
      from unnest(array['idle', 'running', 'rescheduling', 'terminated']) as known (status)`,
  });
  return rows;
}
