import { Gauge, Histogram, Registry } from "prom-client";

/** The metrics of the API process. Labels are operation ids and statuses, never ids of objects. */
export interface Metrics {
  requestEnded(operation: string, status: number, milliseconds: number): void;
  /** In the Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(sessionsByStatus: () => Promise<{ status: string; count: number }[]>): Metrics {
  const registry = new Registry();
  const requests = new Histogram({
    name: "berth_http_request_seconds",
    help: "Time from a request to the end of its response, by operation and status.",
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
      for (const { status, count } of await sessionsByStatus()) this.set({ status }, count);
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
    requestEnded: (operation, status, milliseconds) =>
      requests.observe({ operation, status: String(status) }, milliseconds / 1_000),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
