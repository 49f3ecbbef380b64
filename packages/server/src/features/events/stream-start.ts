import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { logEnd, seqOfEvent } from "./event-store.ts";

/**
 * Where a stream begins: after the event that the header `Last-Event-ID` or else `after_id` names, at the start of the log, or
 * at its end. An empty header is none, as browsers have it.
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
    return await placeOf(db, sessionId, lastEventId, "Last-Event-ID");
  }
  if (query.after_id !== undefined) return await placeOf(db, sessionId, query.after_id, "after_id");
  return query.from === "start" ? 0 : (await logEnd(db, sessionId)).lastSeq;
}

async function placeOf(db: Queryable, sessionId: string, id: string, param: string): Promise<number> {
  const uuid = parseId("event", id);
  const seq = uuid === null ? null : await seqOfEvent(db, sessionId, uuid);
  if (seq === null) throw errors.invalid(`'${param}' must be the id of an event of this session.`, param);
  return seq;
}
