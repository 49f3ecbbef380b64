import type { Queryable } from "@berth/store/db";
import type { ReadAnswer, ReadKind, ReadRequest } from "@berth/store/session-log";

/** Maximum number of a session's reads that wait at once. */
const MAX_WAITING = 32;

/**
 * Stores a read for the session's runner. Returns false when too many wait. Ids are uuids.
 *
 * @param read `opens` is whether a session may be claimed, and its sandbox opened, for it.
 */
export async function storeRead(
  db: Queryable,
  read: { id: string; sessionId: string; request: ReadRequest; ttlMs: number; opens: boolean },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "store_workspace_read",
    text: `
      insert into workspace_reads (id, session_id, request, expires_at, opens)
      select $1, sessions.id, $3, now() + $4 * interval '1 millisecond', $5 from sessions
      where id = $2 and (
        select count(*) from (
          select from workspace_reads where session_id = $2 and answered_at is null limit ${MAX_WAITING}
        ) as waiting
      ) < ${MAX_WAITING}`,
    values: [read.id, read.sessionId, JSON.stringify(read.request), read.ttlMs, read.opens],
  });
  return rowCount === 1;
}

/** Returns the answer to a read and deletes the row; null while there is no answer. */
export async function takeAnswer<Kind extends ReadKind>(
  db: Queryable,
  id: string,
): Promise<{ answer: ReadAnswer<Kind>; content: Buffer | null } | null> {
  const { rows } = await db.query<{ answer: string; content: Buffer | null }>({
    name: "take_workspace_answer",
    text: "delete from workspace_reads where id = $1 and answered_at is not null returning answer, content",
    values: [id],
  });
  const [row] = rows;
  return row === undefined
    ? null
    : { answer: JSON.parse(row.answer) as ReadAnswer<Kind>, content: row.content };
}

/** Deletes a read for which nobody waits. */
export async function removeRead(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "remove_workspace_read",
    text: "delete from workspace_reads where id = $1",
    values: [id],
  });
}

/** Deletes the reads of processes that died. */
export async function deleteExpiredReads(db: Queryable): Promise<void> {
  await db.query({ text: "delete from workspace_reads where expires_at < now()" });
}
