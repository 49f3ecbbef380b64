export { createLog } from "./log/log.ts";
export { addProcessMetrics } from "./log/process-metrics.ts";
export { createRedactor, type Redactor } from "./log/redactor.ts";
