export { type AppDeps, createApp, createHealthApp, createMetricsApp, type ServiceDeps } from "./app/app.ts";
export type { Installation } from "./app/installation.ts";
export { PreviewLinks } from "./features/previews/preview-links.ts";
