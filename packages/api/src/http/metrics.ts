import { addConnectionMetrics, type MeasuredConnections } from "@berth/store/db";
import {
  AggregatorRegistry,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { addInstallationGauges, type Measured } from "./installation-gauges.ts";

/** Metrics of the service. Labels are operation ids, statuses and the like, never ids of objects. */
export interface Metrics {
  requestEnded(operation: string, status: number, milliseconds: number): void;
  /** Renders the metrics of all processes of the service. */
  render(): Promise<RenderedMetrics>;
}

/** Metrics in the Prometheus text format. */
export interface RenderedMetrics {
  contentType: string;
  text: string;
}

/** Sources that are queried at each scrape. */
export interface MetricsSources {
  measure(): Promise<Measured>;
  /** Name of this process in metrics. */
  process: string;
  /** Database connections of this process. */
  connections: MeasuredConnections;
  /** Returns the metrics of the runner process; none while it does not respond. Null without one. */
  runner: (() => Promise<object[]>) | null;
}

type MetricObjects = MetricObjectWithValues<MetricValue<string>>[];

/** Creates the metrics of this process. @param registry the process's own metrics. */
export function createMetrics(sources: MetricsSources, registry = new Registry()): Metrics {
  const requests = new Histogram({
    name: "berth_http_request_seconds",
    help: "Time from a request to the end of its response, by operation and status.",
    labelNames: ["operation", "status"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  addConnectionMetrics(registry, sources.connections, sources.process);
  return {
    requestEnded: (operation, status, milliseconds) =>
      requests.observe({ operation, status: String(status) }, milliseconds / 1_000),
    render: () => renderAll(sources, registry),
  };
}

async function renderAll(sources: MetricsSources, registry: Registry): Promise<RenderedMetrics> {
  const [ofRunner, measured] = await Promise.all([sources.runner?.() ?? null, sources.measure()]);
  const now = new Registry();
  if (ofRunner !== null) addRunnerUp(now, ofRunner.length > 0);
  addInstallationGauges(now, measured);
  const own = await Promise.all([registry.getMetricsAsJSON(), now.getMetricsAsJSON()]);
  const others = (ofRunner ?? []) as MetricObjects;
  const text = await AggregatorRegistry.aggregate([...own, others]).metrics();
  return { contentType: registry.contentType, text };
}

function addRunnerUp(registry: Registry, isUp: boolean): void {
  const help = "Whether the process that runs sessions responds.";
  new Gauge({ name: "berth_runner_up", help, registers: [registry] }).set(isUp ? 1 : 0);
}
