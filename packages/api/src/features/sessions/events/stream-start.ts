import { parseId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { logEnd, seqOfEvent } from "@berth/store/session-log";

/**
 * Returns the seq after which a stream begins: that of the event in the header `Last-Event-ID`, else in
 * `after_id`, else the start or end of the log. An empty header counts as absent, as in browsers.
 *
 * @throws errors.invalid for an id that is not one of this session's events.
 */
export async function streamStart(
  db: Queryable,
  sessionId: string,
  query: { from?: "start" | undefined; after_id?: string | undefined },
  lastEventId: string | undefined,
): Promise<number> {
  if (lastEventId !== undefined && lastEventId !== "") {
    return await requireSeq(db, sessionId, lastEventId, "Last-Event-ID");
  }
  if (query.after_id !== undefined) return await requireSeq(db, sessionId, query.after_id, "after_id");
  return query.from === "start" ? 0 : (await logEnd(db, sessionId)).lastSeq;
}

async function requireSeq(db: Queryable, sessionId: string, id: string, param: string): Promise<number> {
  const uuid = parseId("event", id);
  const seq = uuid === null ? null : await seqOfEvent(db, sessionId, uuid);
  if (seq === null) throw errors.invalid(`'${param}' must be the id of an event of this session.`, param);
  return seq;
}
