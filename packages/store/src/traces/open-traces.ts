import type { Logger } from "pino";
import manifest from "../../package.json" with { type: "json" };
import { traceSettings } from "./trace-settings.ts";
import { NO_TRACES, type Traces } from "./traces.ts";

/**
 * Opens the traces that `OTEL_*` variables request. Without them, nothing of OpenTelemetry is loaded.
 * @param part The part of the service, which each span names.
 */
export async function openTraces(
  environment: Readonly<Record<string, string | undefined>>,
  part: "api" | "runner",
  log: Logger,
): Promise<Traces> {
  const { settings } = traceSettings(environment);
  if (settings === null) return NO_TRACES;
  const { exportedTraces } = await import("./exported-traces.ts");
  return await exportedTraces(settings, { name: part, version: manifest.version }, log);
}
