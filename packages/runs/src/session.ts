export { type MeasuredModels, SessionMetrics } from "./session/session-metrics.ts";
export { Worker } from "./session/worker.ts";
