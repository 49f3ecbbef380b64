import {
  AggregatorRegistry,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { addConnectionMetrics, type MeasuredConnections } from "../db/connection-metrics.ts";
import { addInstallationGauges, type Measured } from "./installation-gauges.ts";

/** The metrics of the service. Labels are operation ids, statuses and the like, never ids of objects. */
export interface Metrics {
  requestEnded(operation: string, status: number, milliseconds: number): void;
  /** In the Prometheus text format. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** What is asked at each scrape. */
export interface MetricsSources {
  measure(): Promise<Measured>;
  /** Those of the API process. */
  connections: MeasuredConnections;
  /** The metrics of the process that runs sessions; none while it does not answer. */
  runner(): Promise<object[]>;
}

type MetricObjects = MetricObjectWithValues<MetricValue<string>>[];

/** @param registry what the process says of itself. */
export function createMetrics(sources: MetricsSources, registry = new Registry()): Metrics {
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
  addConnectionMetrics(registry, sources.connections, "api");
  return {
    requestEnded: (operation, status, milliseconds) =>
      requests.observe({ operation, status: String(status) }, milliseconds / 1_000),
    async render() {
      const [ofRunner, measured] = await Promise.all([sources.runner(), sources.measure()]);
      runnerUp.set(ofRunner.length > 0 ? 1 : 0);
      const now = new Registry();
      addInstallationGauges(now, measured);
      const own = await Promise.all([registry.getMetricsAsJSON(), now.getMetricsAsJSON()]);
      const text = await AggregatorRegistry.aggregate([...own, ofRunner as MetricObjects]).metrics();
      return { contentType: registry.contentType, text };
    },
  };
}
