import { APIError, AuthenticationError } from "@berth/sdk";
import { berth } from "../../../api/client.ts";
import { isSignedOut, onSignedOutChange } from "../../../api/signed-out.ts";
import type { LogInput } from "./reduce.ts";
import { type LogSnapshot, SessionLog } from "./session-log.ts";
import { takeTail } from "./tail.ts";

export type Connection =
  | { state: "opening" | "live" | "ended" }
  | { state: "lost" /** The time of the next attempt, in milliseconds since the epoch. */; retryAt: number };

export type Followed = LogSnapshot & {
  connection: Connection;
  /** Whether only the newest events have arrived. */
  partial: boolean;
  /** The error for which the log cannot be read, when a retry would not help; else null. */
  error: unknown;
};

/** Milliseconds between attempts while the service has not been reached yet. */
const FIRST_RETRY_MS = 2_000;
/** Milliseconds between renders while the page is hidden, when the browser gives no frames. */
const HIDDEN_FLUSH_MS = 500;

/**
 * A follower of one session's log: call `start`, then `subscribe` and `snapshot`, and at the end `stop`. The
 * newest events are read first; the whole log follows in one stream, which reconnects by itself.
 */
export class LogFollower {
  readonly #sessionId: string;
  readonly #log = new SessionLog();
  readonly #tail = new SessionLog();
  readonly #listeners = new Set<() => void>();
  #tailNewest: string | null | undefined;
  #queue: LogInput[] = [];
  #flushing = false;
  #connection: Connection = { state: "opening" };
  #error: unknown = null;
  #abort = new AbortController();
  #snapshot: Followed;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.#snapshot = this.#currentSnapshot();
  }

  start(): () => void {
    this.#abort = new AbortController();
    const offSignIn = onSignedOutChange(() => !isSignedOut() && this.#restart());
    const onOnline = () => this.#connection.state === "lost" && this.#restart();
    window.addEventListener("online", onOnline);
    void this.#begin(this.#abort.signal);
    return () => {
      offSignIn();
      window.removeEventListener("online", onOnline);
      this.#abort.abort();
    };
  }

  /** Reconnects immediately. */
  retry = (): void => this.#restart();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): Followed => this.#snapshot;

  #restart(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#error = null;
    this.#push({ type: "connection_lost" });
    this.#setConnection({ state: "opening" });
    void this.#follow(this.#abort.signal);
  }

  /**
   * Reads the newest events first: a short log is then complete, and a long one can be read while the rest
   * arrives.
   */
  async #begin(signal: AbortSignal): Promise<void> {
    const page = await takeTail(this.#sessionId, signal).catch(() => null); // The stream reports the same error.
    if (signal.aborted) return;
    const newest = page?.data ?? [];
    this.#tailNewest = newest[0]?.id ?? null;
    (page?.has_more ? this.#tail : this.#log).append(newest.toReversed());
    this.#emit();
    void this.#follow(signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      // Apply the queue first, so that the stream continues where the log ends.
      this.#flush();
      const after = this.#log.newestId;
      const from = after === null ? ({ from: "start" } as const) : { after_id: after };
      const frames = berth.sessions.events.stream(
        this.#sessionId,
        { ...from, event_deltas: ["agent.message", "agent.thinking", "agent.tool_output"] },
        {
          signal,
          maxRetries: 0,
          onOpen: () => this.#setConnection({ state: "live" }),
          onLost: ({ wait }) => {
            this.#push({ type: "connection_lost" });
            this.#setConnection({ state: "lost", retryAt: Date.now() + wait });
          },
        },
      );
      for await (const frame of frames) this.#push(frame);
      if (!signal.aborted) this.#setConnection({ state: "ended" });
    } catch (error) {
      if (!signal.aborted) this.#failed(error, signal);
    }
  }

  /**
   * Handles a failed stream. Missing authentication waits for a sign-in, other client errors are final, and
   * everything else is retried.
   */
  #failed(error: unknown, signal: AbortSignal): void {
    if (error instanceof AuthenticationError) return;
    if (error instanceof APIError && error.status < 500) {
      this.#error = error;
      this.#emit();
      return;
    }
    this.#setConnection({ state: "lost", retryAt: Date.now() + FIRST_RETRY_MS });
    setTimeout(() => !signal.aborted && this.#restart(), FIRST_RETRY_MS);
  }

  #push(input: LogInput): void {
    this.#queue.push(input);
    if (this.#flushing) return;
    this.#flushing = true;
    if (document.hidden) setTimeout(() => this.#flush(), HIDDEN_FLUSH_MS);
    else requestAnimationFrame(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#queue.length === 0) return;
    const batch = this.#queue;
    this.#queue = [];
    this.#log.append(batch);
    this.#emit();
  }

  #setConnection(connection: Connection): void {
    this.#connection = connection;
    this.#emit();
  }

  #emit(): void {
    this.#snapshot = this.#currentSnapshot();
    for (const listener of this.#listeners) listener();
  }

  #currentSnapshot(): Followed {
    const partial =
      this.#tailNewest === undefined || (this.#tailNewest !== null && !this.#log.has(this.#tailNewest));
    const shown = partial ? this.#tail.snapshot : this.#log.snapshot;
    return { ...shown, connection: this.#connection, partial, error: this.#error };
  }
}
