import type { Queryable } from "../../../db/statement.ts";
import { readEvents, type StreamedEvent } from "./event-store.ts";

/** Reads a session's log after a position; see `readEvents`. */
export type ReadAfter = (sessionId: string, afterSeq: number) => Promise<StreamedEvent[]>;

const PAGE_EVENTS = 200;

/**
 * Requests for the same position in the same tick share one read, as those of a session's followers do when one event wakes
 * them all. The read starts after the last of these requests, so none gets a result older than itself.
 */
export function createSharedReader(db: Queryable): ReadAfter {
  const reads = new Map<string, Promise<StreamedEvent[]>>();
  return (sessionId, afterSeq) => {
    const key = `${sessionId} ${afterSeq}`;
    const shared = reads.get(key);
    if (shared !== undefined) return shared;
    const read = new Promise<StreamedEvent[]>((resolve) => {
      setImmediate(() => {
        reads.delete(key);
        resolve(readEvents(db, sessionId, afterSeq, PAGE_EVENTS));
      });
    });
    reads.set(key, read);
    return read;
  };
}
