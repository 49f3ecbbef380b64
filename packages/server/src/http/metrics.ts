import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";

/** The metrics of the service. Labels are operation ids, statuses and the like, never ids of objects. */
export interface Metrics {
  requestEnded(operation: string, status: number, milliseconds: number): void;
  /** In the Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** What is asked at each scrape. */
export interface MetricsSources {
  sessionsByStatus(): Promise<{ status: string; count: number }[]>;
  /** Sessions that no runner has taken up yet, and how long the first has waited. */
  dueSessions(): Promise<{ count: number; seconds: number }>;
  /** The metrics of the process that runs sessions; none while it does not answer. */
  runner(): Promise<object[]>;
}

type MetricObjects = MetricObjectWithValues<MetricValue<string>>[];

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  const requests = new Histogram({
    name: "berth_http_request_seconds",
    help: "Time from a request to the end of its response, by operation and status.",
    labelNames: ["operation", "status"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const runnerUp = new Gauge({
    name: "berth_runner_up",
    help: "Whether the process that runs sessions answers.",
    registers: [registry],
  });
  collectDefaultMetrics({ register: registry, labels: { process: "api" } });
  addGauges(registry, sources);
  return {
    requestEnded: (operation, status, milliseconds) =>
      requests.observe({ operation, status: String(status) }, milliseconds / 1_000),
    async render() {
      const ofRunner = await sources.runner();
      runnerUp.set(ofRunner.length > 0 ? 1 : 0);
      const all = [await registry.getMetricsAsJSON(), ofRunner as MetricObjects];
      const text = await AggregatorRegistry.aggregate(all).metrics();
      return { contentType: registry.contentType, text };
    },
  };
}

function addGauges(registry: Registry, { sessionsByStatus, dueSessions }: MetricsSources): void {
  const registers = [registry];
  new Gauge({
    name: "berth_sessions",
    help: "Sessions that are not archived, by status.",
    labelNames: ["status"] as const,
    registers,
    async collect() {
      for (const { status, count } of await sessionsByStatus()) this.set({ status }, count);
    },
  });
  new Gauge({
    name: "berth_due_seconds",
    help: "How long the first session has waited that is due and that no runner has.",
    registers,
    async collect() {
      this.set((await dueSessions()).seconds);
    },
  });
  new Gauge({
    name: "berth_due_sessions",
    help: "Sessions that are due and that no runner has.",
    registers,
    async collect() {
      this.set((await dueSessions()).count);
    },
  });
  new Gauge({
    name: "berth_resident_memory_bytes",
    help: "Resident memory of the API process.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
}
