import type { KeysetPlace } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { EventRow } from "./event-row.ts";

/**
 * Events of a session from `place`, in the order of travel: `older` goes down the list as it is shown, which is the log's
 * order for `asc` and its reverse for `desc`. An anchor that is no event of the session stands for its id's place.
 */
export async function listEvents(
  db: Queryable,
  sessionId: string,
  place: KeysetPlace,
  order: "asc" | "desc",
  types: readonly string[] | null,
): Promise<EventRow[]> {
  const forward = (place.direction === "older") === (order === "asc");
  const { rows } = await db.query<EventRow>({
    name: forward ? "list_events_forward" : "list_events_backward",
    text: `
      select seq, id, type, body, memo, processed_at from events
      where session_id = $1
        and ($2::uuid is null or seq ${forward ? ">" : "<"} coalesce(
          (select seq from events where session_id = $1 and id = $2),
          (select max(seq) from events where session_id = $1 and id < $2) ${forward ? "" : "+ 1"},
          ${forward ? "0" : "1"}
        ))
        and ($3::text[] is null or type = any($3))
        and ($4::uuid is null or id >= $4)
        and ($5::uuid is null or id < $5)
      order by seq ${forward ? "asc" : "desc"} limit $6`,
    values: [sessionId, place.anchor, types, place.lowest, place.below, place.rows],
  });
  return rows;
}
