/**
 * Channel for every change of a session, for followers in processes that serve the API. Due sessions and
 * requests are sent here too, since runners of the previous release listen on this channel alone.
 */
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

/** Marks senders that announce due sessions on `DUE`. Those of the previous release have no mark. */
const MARK = "+";

/** Returns the sender's name with the mark. */
export function markedSender(name: string): string {
  return `${MARK}${name}`;
}

/** Returns whether the sender announces due sessions on `CHANGES` alone. */
export function isFormer(sender: string): boolean {
  return !sender.startsWith(MARK);
}
