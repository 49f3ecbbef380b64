export type { Outcome } from "./render/outcome.ts";
export { previewsFor, type RenderOptions, renderEvents } from "./render/render-events.ts";
