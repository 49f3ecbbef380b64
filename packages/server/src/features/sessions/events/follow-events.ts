import { Signal } from "@berth/concurrency";
import { formatId, newUuid } from "@berth/contract";
import { type Sse, sseFrame } from "../../../http/sse.ts";
import type { SessionHub } from "../../../notify/session-hub.ts";
import { eventJson } from "./event-row.ts";
import type { LogEnd, StreamedEvent } from "./event-store.ts";
import type { PreviewFeed } from "./preview-feed.ts";
import type { ReadAfter } from "./shared-reader.ts";

export interface FollowOptions {
  sessionId: string;
  /** The events after this seq are sent. */
  afterSeq: number;
  /** The session was terminated when the stream was opened: the stream ends with the log. */
  terminated: boolean;
  hub: SessionHub;
  read: ReadAfter;
  /** Called after each page, so that the log is read only when it has more. */
  logEnd(sessionId: string): Promise<LogEnd>;
  sse: Sse;
  /** For a reader that asked for previews of events that are not stored yet. */
  previews?: PreviewFeed | null;
}

/** Frames are written in chunks of about this size. */
const CHUNK_CHARACTERS = 32 * 1024;

/**
 * Sends the log after a position, and then each new event, once and in order, until the reader leaves, or
 * `session.status_terminated` was sent, or `session.deleted`, which no log has. All events are read from the table: a reader that
 * lags keeps no page in memory, and continues from its position when it has caught up.
 */
export async function followEvents(options: FollowOptions): Promise<void> {
  const { hub, sessionId, sse, previews = null } = options;
  const follower = new Follower(options);
  const wake = () => follower.wake();
  sse.ended.addEventListener("abort", wake, { once: true });
  const unsubscribe = hub.subscribe(sessionId, () => follower.wakeToRead());
  const unfollow =
    previews === null
      ? null
      : hub.previews.follow(sessionId, (piece) => {
          previews.add(piece);
          wake();
        });
  try {
    await follower.run();
  } catch (error) {
    // The error of a read for a reader that has left is ignored: the database may be closing.
    if (!sse.ended.aborted) throw error;
  } finally {
    unsubscribe();
    unfollow?.();
    sse.end();
  }
}

class Follower {
  readonly #options: FollowOptions;
  readonly #woken = new Signal();
  /** The log may have more. A wake for previews alone does not set it. */
  #unread = true;
  #afterSeq: number;
  #terminated: boolean;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#afterSeq = options.afterSeq;
    this.#terminated = options.terminated;
  }

  wake(): void {
    this.#woken.set();
  }

  wakeToRead(): void {
    this.#unread = true;
    this.#woken.set();
  }

  async run(): Promise<void> {
    const { sse } = this.#options;
    let more = true;
    while (more && !sse.ended.aborted) {
      this.#woken.reset();
      more = this.#unread ? await this.#sendLog() : await this.#sendPreviews();
    }
  }

  /** Sends the previews since the last call, and waits. Returns false when the stream is over. */
  async #sendPreviews(): Promise<boolean> {
    const { sse, previews } = this.#options;
    const frames = previews?.frames() ?? "";
    if (frames !== "") sse.write(frames);
    if (!(await sse.drained())) return false;
    if (!this.#unread && !sse.ended.aborted) await this.#woken.wait();
    return true;
  }

  /** Sends a page of the log. Returns false when the stream is over. */
  async #sendLog(): Promise<boolean> {
    const { sse, read, logEnd, sessionId } = this.#options;
    this.#unread = false;
    this.#sendPage(await read(sessionId, this.#afterSeq));
    if (!(await sse.drained())) return false;
    const { lastSeq, deleted } = await logEnd(sessionId);
    if (lastSeq > this.#afterSeq) {
      this.#unread = true;
      return true;
    }
    if (this.#terminated) return false;
    if (deleted) sendDeleted(sse);
    return !deleted;
  }

  /** Writes until the reader lags. */
  #sendPage(events: readonly StreamedEvent[]): void {
    const { sse } = this.#options;
    let frames = "";
    for (const event of events) {
      frames += this.#previewsBefore(event) + sseFrame(event.id, event.type, event.json);
      this.#afterSeq = event.seq;
      this.#terminated ||= event.type === "session.status_terminated";
      if (frames.length < CHUNK_CHARACTERS) continue;
      const drained = sse.write(frames);
      frames = "";
      if (!drained) return;
    }
    if (frames !== "") sse.write(frames);
  }

  #previewsBefore(event: StreamedEvent): string {
    const { hub, previews = null, sessionId } = this.#options;
    if (previews === null) return "";
    if (event.type === "span.model_request_start") hub.previews.request(sessionId);
    return previews.before(event);
  }
}

function sendDeleted(sse: Sse): void {
  const row = { id: newUuid(), type: "session.deleted", body: "{}", processed_at: new Date() };
  sse.write(sseFrame(formatId("event", row.id), row.type, eventJson(row)));
}
