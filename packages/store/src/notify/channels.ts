/**
 * Every change of a session, for the followers of processes that serve the API. It also says what is due and what is asked, because
 * runners of the release before listen on it alone.
 */
export const CHANGES = "berth_sessions";

/** What runners wait for: sessions that are due, disks to read, and whose previews are wanted. */
export const DUE = "berth_due";

/** Previews are spread over so many channels. A process listens on one only while somebody there follows a session of it. */
const PREVIEW_CHANNELS = 64;

/** The last byte of a session's id is random. */
export function previewChannel(sessionId: string): string {
  return `berth_preview_${Number.parseInt(sessionId.slice(-2), 16) % PREVIEW_CHANNELS}`;
}

export interface Notification {
  channel: string;
  payload: string;
}

/** Marks the senders that tell of what is due on a channel of its own. Those of the release before have no mark. */
const MARK = "+";

export function markedSender(name: string): string {
  return `${MARK}${name}`;
}

/** Whether the sender tells of what is due on `CHANGES` alone. */
export function isFormer(sender: string): boolean {
  return !sender.startsWith(MARK);
}
