import { berth } from "../../../api/client.ts";

/** The number of newest events shown immediately, while a longer log is read from its start. */
const TAIL = 100;

const begun = new Map<string, ReturnType<typeof readTail>>();

/** Starts reading a session's newest events while the code that shows them is loading. */
export function prefetchTail(sessionId: string): void {
  const tail = readTail(sessionId);
  begun.set(sessionId, tail);
  tail.catch(() => undefined); // The error reaches the caller of `takeTail`.
}

/** Returns the newest events, newest first: prefetched, or read now. */
export function takeTail(sessionId: string, signal: AbortSignal): ReturnType<typeof readTail> {
  const tail = begun.get(sessionId);
  begun.delete(sessionId);
  return tail ?? readTail(sessionId, signal);
}

async function readTail(sessionId: string, signal?: AbortSignal) {
  return await berth.sessions.events.list(sessionId, { order: "desc", limit: TAIL }, { signal });
}
