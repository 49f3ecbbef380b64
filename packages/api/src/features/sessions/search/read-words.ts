import { type Database, FIRST } from "@berth/store/db";
import {
  type ChangedSession,
  changedSessions,
  readUntil,
  setReadUntil,
  storeWords,
  type UnreadEvent,
  unreadEvents,
} from "./session-words-store.ts";
import { organizationWord, wordsOf } from "./words.ts";

/** The sessions that are read at once, and the events of each. */
const SESSIONS = 50;
const EVENTS = 200;

/**
 * Reads the words of sessions that were active since they were last read, so that searches find them. Ends when all are
 * read, or the signal aborts; what is left comes next time.
 */
export async function readWords(db: Pick<Database, "read" | "write">, signal?: AbortSignal): Promise<void> {
  let after = { active_at: await readUntil(db.read), id: FIRST };
  while (signal?.aborted !== true) {
    const sessions = await changedSessions(db.read, after, SESSIONS);
    const last = sessions.at(-1);
    if (last === undefined) return;
    await readSessions(db, sessions, signal);
    if (signal?.aborted) return;
    await setReadUntil(db.write, last.active_at);
    after = last;
  }
}

/** Reads what is new in sessions, as many events of each at a time. */
async function readSessions(
  { read, write }: Pick<Database, "read" | "write">,
  sessions: readonly ChangedSession[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let left = sessions
    .map((session) => ({ ...session, after: session.read?.last_seq ?? 0 }))
    .filter(({ read: known, title, last_seq, after }) => known?.title !== title || after < last_seq);
  while (left.length > 0 && signal?.aborted !== true) {
    const events = Map.groupBy(await unreadEvents(read, left, EVENTS), ({ session_id }) => session_id);
    const found = left.map((session) => {
      const own = events.get(session.id) ?? [];
      // Without further events, those of a session whose log was deleted, too, count as read.
      const isWhole = own.length < EVENTS;
      const after = isWhole ? Math.max(session.last_seq, own.at(-1)?.seq ?? 0) : (own.at(-1)?.seq ?? 0);
      return { ...session, after, isWhole, said: wordsOf(own.flatMap(textsOf).join(" ")) };
    });
    const stored = found.map(({ id, title, after, organization_id, urls, said }) => {
      const head = [organizationWord(organization_id), ...wordsOf([title, ...urls].join(" "))];
      return { id, title, last_seq: after, head, said };
    });
    await storeWords(write, stored);
    left = found.filter(({ isWhole }) => !isWhole);
  }
}

/** Returns the texts of a message's blocks. */
function textsOf({ body }: UnreadEvent): string[] {
  if (body === null) return [];
  const { content = [] } = JSON.parse(body) as { content?: { type: string; text?: string }[] };
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}
