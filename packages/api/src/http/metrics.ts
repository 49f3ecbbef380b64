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

/** The metrics of the service. Labels are operation ids, statuses and the like, never ids of objects. */
export interface Metrics {
  requestEnded(operation: string, status: number, milliseconds: number): void;
  /** Those of all processes of the service. */
  render(): Promise<RenderedMetrics>;
}

/** In the Prometheus text format. */
export interface RenderedMetrics {
  contentType: string;
  text: string;
}

/** What is asked at each scrape. */
export interface MetricsSources {
  measure(): Promise<Measured>;
  /** As metrics name this process. */
  process: string;
  /** Those of this process. */
  connections: MeasuredConnections;
  /** The metrics of the process that runs sessions; none while it does not answer. Null: there is no such process. */
  runner: (() => Promise<object[]>) | null;
  /** The metrics of each further API process that answers. */
  further(): Promise<object[][]>;
  /** Asks the process that knows all. Default: this one does. */
  render?: (() => Promise<RenderedMetrics>) | undefined;
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
  addConnectionMetrics(registry, sources.connections, sources.process);
  return {
    requestEnded: (operation, status, milliseconds) =>
      requests.observe({ operation, status: String(status) }, milliseconds / 1_000),
    render: sources.render ?? (() => renderAll(sources, registry)),
  };
}

async function renderAll(sources: MetricsSources, registry: Registry): Promise<RenderedMetrics> {
  const [ofRunner, further, measured] = await Promise.all([
    sources.runner?.() ?? null,
    sources.further(),
    sources.measure(),
  ]);
  const now = new Registry();
  if (ofRunner !== null) addRunnerUp(now, ofRunner.length > 0);
  addInstallationGauges(now, measured);
  const own = await Promise.all([registry.getMetricsAsJSON(), now.getMetricsAsJSON()]);
  const others = [ofRunner ?? [], ...further] as MetricObjects[];
  const text = await AggregatorRegistry.aggregate([...own, ...others]).metrics();
  return { contentType: registry.contentType, text };
}

function addRunnerUp(registry: Registry, isUp: boolean): void {
  const help = "Whether the process that runs sessions answers.";
  new Gauge({ name: "berth_runner_up", help, registers: [registry] }).set(isUp ? 1 : 0);
}
