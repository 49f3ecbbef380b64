import { Signal } from "@berth/concurrency";
import { formatId, newUuid } from "@berth/contract";
import { type Sse, sseFrame } from "../../http/sse.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import { eventJson } from "./event-row.ts";
import type { LogEnd, StreamedEvent } from "./event-store.ts";
import type { PreviewFeed } from "./preview-feed.ts";
import type { ReadAfter } from "./shared-reader.ts";

export interface FollowOptions {
  sessionId: string;
  /** Where to begin: what has a greater seq is sent. */
  afterSeq: number;
  /** The session was terminated when the stream was opened: it ends with the log. */
  terminated: boolean;
  hub: SessionHub;
  read: ReadAfter;
  /** Where the log ends, asked after each page, so that nothing is read for nothing. */
  logEnd(sessionId: string): Promise<LogEnd>;
  sse: Sse;
  /** For a reader that asked for what is written before it is stored. */
  previews?: PreviewFeed | null;
}

/** Frames are handed on in pieces of about this size. */
const CHUNK_CHARACTERS = 32 * 1024;

/**
 * Sends what the log has after a place, and then what comes, each event once and in order, until the reader leaves or
 * `session.status_terminated` was sent, or `session.deleted`, which is in no log. All is read from the table: a reader
 * that lags holds no page in memory, and is served from where it stood when it has caught up.
 */
export async function followEvents({
  previews = null,
  hub,
  read,
  logEnd,
  sse,
  sessionId,
  ...from
}: FollowOptions): Promise<void> {
  const news = new Signal();
  sse.ended.addEventListener("abort", () => news.set(), { once: true });
  // The log is read only when there is something new in it, and not for what is shown.
  let logged = true;
  const unsubscribe = hub.subscribe(sessionId, () => {
    logged = true;
    news.set();
  });
  const unfollow =
    previews === null
      ? null
      : hub.previews.follow(sessionId, (piece) => {
          previews.take(piece);
          news.set();
        });
  const before = (event: StreamedEvent): string => {
    if (previews !== null && event.type === "span.model_request_start") hub.previews.want(sessionId);
    return previews?.before(event) ?? "";
  };
  let { afterSeq, terminated } = from;
  try {
    while (!sse.ended.aborted) {
      news.reset();
      if (!logged) {
        const frames = previews?.frames() ?? "";
        if (frames !== "") sse.write(frames);
        if (!(await sse.drained())) return;
        if (!logged && !sse.ended.aborted) await news.wait();
        continue;
      }
      logged = false;
      const sent = sendPage(sse, await read(sessionId, afterSeq), afterSeq, before);
      terminated ||= sent.terminated;
      afterSeq = sent.afterSeq;
      if (!(await sse.drained())) return;
      const end = await logEnd(sessionId);
      logged ||= end.lastSeq > afterSeq;
      if (end.lastSeq > afterSeq) continue;
      if (terminated) return;
      if (end.deleted) return sendDeleted(sse);
    }
  } catch (error) {
    // What is read for a follower that has left concerns nobody: the database may be closing, too.
    if (!sse.ended.aborted) throw error;
  } finally {
    unsubscribe();
    unfollow?.();
    sse.end();
  }
}

function sendDeleted(sse: Sse): void {
  const row = { id: newUuid(), type: "session.deleted", body: "{}", processed_at: new Date() };
  sse.write(sseFrame(formatId("event", row.id), row.type, eventJson(row)));
}

/** Writes until the reader lags; tells how far it came. */
function sendPage(
  sse: Sse,
  events: readonly StreamedEvent[],
  afterSeq: number,
  before: (event: StreamedEvent) => string,
): { afterSeq: number; terminated: boolean } {
  let frames = "";
  let seq = afterSeq;
  let terminated = false;
  for (const event of events) {
    frames += before(event) + sseFrame(event.id, event.type, event.json);
    seq = event.seq;
    terminated ||= event.type === "session.status_terminated";
    if (frames.length < CHUNK_CHARACTERS) continue;
    const kept = sse.write(frames);
    frames = "";
    if (!kept) return { afterSeq: seq, terminated };
  }
  if (frames !== "") sse.write(frames);
  return { afterSeq: seq, terminated };
}
