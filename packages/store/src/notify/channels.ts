/** Channel for every change of a session, for followers in processes that serve the API. */
export const CHANGES = "berth_sessions";

/** Channel for what runners wait for: due sessions, disks to read, and requests for previews. */
export const DUE = "berth_due";

/**
 * Number of channels over which previews are spread. A process listens on one only while somebody there
 * follows a session of it.
 */
const PREVIEW_CHANNELS = 64;

/** Returns the channel for a session's previews. The last byte of its id is random. */
export function previewChannel(sessionId: string): string {
  return `berth_preview_${Number.parseInt(sessionId.slice(-2), 16) % PREVIEW_CHANNELS}`;
}

export interface Notification {
  channel: string;
  payload: string;
}
