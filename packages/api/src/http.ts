export type { RenderedMetrics } from "./http/metrics.ts";
