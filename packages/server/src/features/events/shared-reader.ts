import type { Queryable } from "../../db/statement.ts";
import { readEvents, type StreamedEvent } from "./event-store.ts";

/** Reads what follows a place in a session's log; see `readEvents`. */
export type ReadAfter = (sessionId: string, afterSeq: number) => Promise<StreamedEvent[]>;

const PAGE_EVENTS = 200;

/**
 * One read for all who ask for the same place in the same turn of the event loop, as the followers of a session do when
 * one event wakes them. The read starts after the last of them has asked, so nobody gets an answer older than its question.
 */
export function createSharedReader(db: Queryable): ReadAfter {
  const asked = new Map<string, Promise<StreamedEvent[]>>();
  return (sessionId, afterSeq) => {
    const key = `${sessionId} ${afterSeq}`;
    const shared = asked.get(key);
    if (shared !== undefined) return shared;
    const reading = new Promise<StreamedEvent[]>((resolve) => {
      setImmediate(() => {
        asked.delete(key);
        resolve(readEvents(db, sessionId, afterSeq, PAGE_EVENTS));
      });
    });
    asked.set(key, reading);
    return reading;
  };
}
