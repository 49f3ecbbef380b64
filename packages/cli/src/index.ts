export { type ClientFile, readClientFile, updateClientFile } from "./client-file.ts";
export type { Outcome } from "./outcome.ts";
export { previewsFor, type RenderOptions, renderEvents } from "./render-events.ts";
