import { berth } from "../../../api/client.ts";

/** Events that are shown at once, while a longer log is read from its start. */
const TAIL = 100;

const begun = new Map<string, ReturnType<typeof readTail>>();

/** Begins to read the newest events of a session, while the code that shows them is still loaded. */
export function prefetchTail(sessionId: string): void {
  const tail = readTail(sessionId);
  begun.set(sessionId, tail);
  tail.catch(() => undefined); // Whoever takes it is told.
}

/** The newest events, the newest first: those that were prefetched, or a new reading. */
export function takeTail(sessionId: string, signal: AbortSignal): ReturnType<typeof readTail> {
  const tail = begun.get(sessionId);
  begun.delete(sessionId);
  return tail ?? readTail(sessionId, signal);
}

async function readTail(sessionId: string, signal?: AbortSignal) {
  return await berth.sessions.events.list(sessionId, { order: "desc", limit: TAIL }, { signal });
}
