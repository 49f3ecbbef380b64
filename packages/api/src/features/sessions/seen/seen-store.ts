import type { Branch, Condition, Queryable } from "@berth/store/db";
import { condition } from "@berth/store/db";

/** Removes a user from those who have not seen a session. Writes nothing if the user has seen it. */
export async function removeUnseen(tx: Queryable, sessionId: string, userId: string): Promise<void> {
  await tx.query({
    name: "remove_unseen",
    text: `update sessions set unseen_by = array_remove(unseen_by, $2::uuid)
      where id = $1 and unseen_by @> array[$2::uuid]`,
    values: [sessionId, userId],
  });
}

/** Adds a user to those who have not seen a session, which goes on the user's desk. The caller has locked its row. */
export async function addToDesk(tx: Queryable, sessionId: string, userId: string): Promise<void> {
  await tx.query({
    name: "add_to_desk",
    text: `
      with guest as (
        insert into session_guests (user_id, session_id)
        select $2, id from sessions where id = $1 and owner_id <> $2::uuid on conflict do nothing
      )
      update sessions set unseen_by = unseen_by || $2::uuid where id = $1 and not unseen_by @> array[$2::uuid]`,
    values: [sessionId, userId],
  });
}

/** Rows of sessions that are on the desks of guests; see `Branch.table`. */
const GUEST_ROWS = `(select user_id as guest, session_id as guested from session_guests) as guests
  cross join lateral (select * from sessions where sessions.id = guested offset 0) as sessions`;

/** SQL for whether the owner has not seen the session, as the indexes of such sessions have it. */
const UNSEEN_BY_OWNER = { text: "owner_id = any(unseen_by)", values: [] };

/** Returns branches for the sessions on a principal's desk, or for the unseen ones among them. */
export function deskBranches({ id }: { id: string }, unseen: boolean): Branch[] {
  return [
    {
      overlaps: true,
      column: "owner_id",
      value: id,
      ...(unseen && { conditions: [UNSEEN_BY_OWNER] }),
    },
    {
      overlaps: true,
      table: GUEST_ROWS,
      id: "guested",
      column: "guest",
      value: id,
      ...(unseen && { conditions: [condition("unseen_by @> array[?::uuid]", id)] }),
    },
  ];
}

/** Returns a condition for the sessions on a principal's desk, for lists that are read otherwise. */
export function deskCondition({ id }: { id: string }, unseen: boolean): Condition {
  const guest = "exists (select from session_guests where user_id = ? and session_id = sessions.id)";
  return unseen
    ? condition("unseen_by @> array[?::uuid]", id)
    : condition(`(owner_id = ? or ${guest})`, id, id);
}
