import { Signal } from "@berth/concurrency";
import { formatId, newUuid } from "@berth/contract";
import { databaseNow } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import { eventJson } from "@berth/store/session-log";
import { type Sse, sseFrame } from "../../../http/sse.ts";
import type { PreviewFeed } from "./preview-feed.ts";
import {
  CHUNK_CHARACTERS,
  type FrameChunk,
  type FramedEvent,
  type ReadAfter,
  type SharedPage,
} from "./shared-reader.ts";

/** Milliseconds after which a request for previews is renewed: half of the time for which it is valid. */
const RENEW_MS = 30_000;

export interface FollowOptions {
  sessionId: string;
  /** Seq after which events are sent. */
  afterSeq: number;
  /** Whether the session was terminated when the stream was opened. The stream then ends with the log. */
  terminated: boolean;
  hub: SessionHub;
  read: ReadAfter;
  sse: Sse;
  /** Feed of a reader that asked for previews of events that are not stored yet. */
  previews?: PreviewFeed | null;
}

/**
 * Sends the log after a position, and then each new event, once and in order. Ends when the reader leaves, or
 * after `session.status_terminated` or `session.deleted`, which is in no log. All events are read from the
 * table: a reader that lags keeps no page in memory, and continues from its position when it has caught up.
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
      : hub.previews.follow(
          sessionId,
          (piece) => {
            previews.add(piece);
            wake();
          },
          previews.hasOutput,
        );
  try {
    await follower.run();
  } catch (error) {
    // An error of a read for a reader that has left is ignored, because the database may be closing.
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
  /** Whether the log may have more events. A wake for previews alone does not set it. */
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
    if (!this.#unread && !sse.ended.aborted) await this.#wait();
    return true;
  }

  /** Waits for a wake, and renews the request for previews, which a long command may outlast. */
  async #wait(): Promise<void> {
    const { hub, sessionId, previews = null } = this.#options;
    if (previews === null || !previews.hasOutput || !previews.isWorking) return await this.#woken.wait();
    if (!(await this.#woken.waitFor(RENEW_MS))) hub.previews.request(sessionId, true);
  }

  /** Sends a page of the log. Returns false when the stream is over. */
  async #sendLog(): Promise<boolean> {
    const { sse, read, sessionId, previews = null } = this.#options;
    this.#unread = false;
    const page = await read(sessionId, this.#afterSeq);
    if (previews === null) this.#sendChunks(page);
    else this.#sendWithPreviews(page, previews);
    if (!(await sse.drained())) return false;
    if (page.lastSeq > this.#afterSeq) {
      this.#unread = true;
      return true;
    }
    if (this.#terminated) return false;
    if (page.deleted) sendDeleted(sse);
    return !page.deleted;
  }

  /** Writes the chunks until the reader lags. */
  #sendChunks({ chunks }: SharedPage): void {
    for (const { frames, last } of chunks) if (!this.#write(frames, last)) return;
  }

  /** Writes the events, each after its own previews, until the reader lags. */
  #sendWithPreviews({ events }: SharedPage, previews: PreviewFeed): void {
    const { hub, sessionId } = this.#options;
    let frames = "";
    for (const event of events) {
      if (renewsPreviews(event.type)) hub.previews.request(sessionId, previews.hasOutput);
      frames += previews.before(event) + event.frame;
      if (frames.length < CHUNK_CHARACTERS && event !== events.at(-1)) continue;
      if (!this.#write(frames, event)) return;
      frames = "";
    }
  }

  #write(frames: FrameChunk["frames"] | string, { seq, type }: FramedEvent): boolean {
    this.#afterSeq = seq;
    this.#terminated ||= type === "session.status_terminated";
    return this.#options.sse.write(frames);
  }
}

/** Returns whether to request previews again, since another process may run the next calls. */
function renewsPreviews(type: string): boolean {
  return type === "span.model_request_start" || type === "session.status_running";
}

function sendDeleted(sse: Sse): void {
  const now = new Date(databaseNow());
  const row = { id: newUuid(), type: "session.deleted", body: "{}", created_at: now, processed_at: now };
  sse.write(sseFrame(formatId("event", row.id), row.type, eventJson(row)));
}
