/** The panels beside the transcript, as the address names them. */
export const PANELS = ["files", "network", "resources", "usage", "events", "details"] as const;

export type PanelId = (typeof PANELS)[number];
