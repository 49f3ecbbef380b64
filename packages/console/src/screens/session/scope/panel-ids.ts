/** The panels beside the transcript, as search parameters. */
export const PANELS = [
  "changes",
  "workspace",
  "files",
  "previews",
  "rules",
  "network",
  "resources",
  "usage",
  "events",
  "details",
] as const;

export type PanelId = (typeof PANELS)[number];
