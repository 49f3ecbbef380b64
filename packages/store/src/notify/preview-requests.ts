/** Milliseconds for which a request is valid. */
export const REQUEST_TTL_MS = 60_000;
/** Number of sessions from which on each new request first removes expired ones. */
const MAX_SESSIONS = 1_000;

/** The sessions whose previews somebody follows, and the channels for these. */
export class PreviewRequests {
  /** Expiry times of requests, by session and channel. */
  readonly #expiries = new Map<string, Map<string, number>>();

  add(sessionId: string, channel: string): void {
    if (this.#expiries.size >= MAX_SESSIONS)
      for (const id of this.#expiries.keys()) if (this.channelsOf(id).length === 0) this.#expiries.delete(id);
    const channels = this.#expiries.get(sessionId) ?? new Map<string, number>();
    this.#expiries.set(sessionId, channels.set(channel, performance.now() + REQUEST_TTL_MS));
  }

  channelsOf(sessionId: string): string[] {
    const now = performance.now();
    return [...(this.#expiries.get(sessionId) ?? [])]
      .filter(([, expiry]) => expiry > now)
      .map(([channel]) => channel);
  }
}
