import { collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import manifest from "../../package.json" with { type: "json" };

/**
 * Adds metrics of the process.
 * @param process Label of each series; all processes of a service have these metrics.
 */
export function addProcessMetrics(registry: Registry, process: string): void {
  collectDefaultMetrics({ register: registry, labels: { process } });
  const registers = [registry];
  const started = new Gauge({
    name: "berth_process_start_seconds",
    help: "When the process began, in seconds since 1970, by process and version.",
    labelNames: ["process", "version"],
    registers,
  });
  started.set({ process, version: manifest.version }, Math.round(performance.timeOrigin / 1_000));
}
