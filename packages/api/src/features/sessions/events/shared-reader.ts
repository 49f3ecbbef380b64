import { setImmediate as nextTick, setTimeout as pause } from "node:timers/promises";
import type { Queryable } from "@berth/store/db";
import { type LogEnd, readPage, type StreamedEvent } from "@berth/store/session-log";
import { sseFrame } from "../../../http/sse.ts";

/** A page of a log for its readers. Frames that all of them get are made once. */
export interface SharedPage extends LogEnd {
  events: readonly FramedEvent[];
  /** Frames of the events, in chunks of one write each. */
  chunks: readonly FrameChunk[];
}

export interface FramedEvent extends StreamedEvent {
  frame: string;
}

export interface FrameChunk {
  frames: Uint8Array;
  /** Last event in the chunk. */
  last: FramedEvent;
}

/** Reads a session's log after a position; see `readPage`. */
export type ReadAfter = (sessionId: string, afterSeq: number) => Promise<SharedPage>;

const PAGE_EVENTS = 200;
/** Milliseconds per reader, so that one session's readers take at most half of this process. */
const PAUSE_MS_PER_SHARER = 0.05;
const MAX_PAUSE_MS = 10;
/** Characters of frames per chunk, approximately. */
export const CHUNK_CHARACTERS = 32 * 1024;

/**
 * Creates a reader whose requests for the same position in the same tick share one read, as when one event
 * wakes all followers of a session. The read starts after the last of these requests, so no result is older
 * than its request.
 *
 * The cost of a page is writing it to each reader. The more readers shared one, the longer the next read of
 * that session waits, and the more events it returns. So many readers of a busy session take only a part of
 * this process.
 */
export function createSharedReader(db: Queryable, wait: (ms: number) => Promise<void> = pause): ReadAfter {
  const reads = new Map<string, SharedRead>();
  const pauses = new Map<string, Promise<void>>();
  const begin = async (sessionId: string, afterSeq: number, key: string): Promise<SharedPage> => {
    await (pauses.get(sessionId) ?? nextTick());
    const sharers = reads.get(key)?.sharers ?? 1;
    reads.delete(key);
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.floor(sharers * PAUSE_MS_PER_SHARER));
    if (pauseMs > 0)
      pauses.set(
        sessionId,
        wait(pauseMs).then(() => void pauses.delete(sessionId)),
      );
    return await readSharedPage(db, sessionId, afterSeq);
  };
  return (sessionId, afterSeq) => {
    const key = `${sessionId} ${afterSeq}`;
    const shared = reads.get(key);
    if (shared !== undefined) {
      shared.sharers += 1;
      return shared.page;
    }
    const page = begin(sessionId, afterSeq, key);
    reads.set(key, { sharers: 1, page });
    return page;
  };
}

interface SharedRead {
  sharers: number;
  page: Promise<SharedPage>;
}

async function readSharedPage(db: Queryable, sessionId: string, afterSeq: number): Promise<SharedPage> {
  const page = await readPage(db, sessionId, afterSeq, PAGE_EVENTS);
  const events = page.events.map((event) => ({
    ...event,
    frame: sseFrame(event.id, event.type, event.json),
  }));
  return { ...page, events, chunks: chunksOf(events) };
}

function chunksOf(events: readonly FramedEvent[]): FrameChunk[] {
  const chunks: FrameChunk[] = [];
  let frames = "";
  for (const event of events) {
    frames += event.frame;
    if (frames.length < CHUNK_CHARACTERS && event !== events.at(-1)) continue;
    chunks.push({ frames: Buffer.from(frames), last: event });
    frames = "";
  }
  return chunks;
}
