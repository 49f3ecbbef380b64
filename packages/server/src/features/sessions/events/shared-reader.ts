import type { Queryable } from "../../../db/statement.ts";
import { sseFrame } from "../../../http/sse.ts";
import { type LogEnd, readPage, type StreamedEvent } from "./event-store.ts";

/** A page of a log as its readers get it. What all of them are sent alike is made once. */
export interface SharedPage extends LogEnd {
  events: readonly FramedEvent[];
  /** The frames of the events, in chunks for one write each. */
  chunks: readonly FrameChunk[];
}

export interface FramedEvent extends StreamedEvent {
  frame: string;
}

export interface FrameChunk {
  frames: Uint8Array;
  /** The last event in it. */
  last: FramedEvent;
}

/** Reads a session's log after a position; see `readPage`. */
export type ReadAfter = (sessionId: string, afterSeq: number) => Promise<SharedPage>;

const PAGE_EVENTS = 200;
/** Frames are written in chunks of about this size. */
export const CHUNK_CHARACTERS = 32 * 1024;

/**
 * Requests for the same position in the same tick share one read, as those of a session's followers do when one event wakes
 * them all. The read starts after the last of these requests, so none gets a result older than itself.
 */
export function createSharedReader(db: Queryable): ReadAfter {
  const reads = new Map<string, Promise<SharedPage>>();
  return (sessionId, afterSeq) => {
    const key = `${sessionId} ${afterSeq}`;
    const shared = reads.get(key);
    if (shared !== undefined) return shared;
    const read = new Promise<SharedPage>((resolve) => {
      setImmediate(() => {
        reads.delete(key);
        resolve(readSharedPage(db, sessionId, afterSeq));
      });
    });
    reads.set(key, read);
    return read;
  };
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
