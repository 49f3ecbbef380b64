/** The panels beside the transcript, as the address names them. */
export const PANELS = [
  "changes",
  "workspace",
  "files",
  "network",
  "resources",
  "usage",
  "events",
  "details",
] as const;

export type PanelId = (typeof PANELS)[number];
