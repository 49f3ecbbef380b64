import type { Session } from "@berth/contract";
import { requireAccess, SHARED_COLUMNS, type SharedRow } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";

/** Columns that decide whether a session may be changed. */
export interface SessionState extends SharedRow {
  status: Session["status"];
  archived: boolean;
  terminated: boolean;
}

async function getSessionState(db: Queryable, id: string): Promise<SessionState | null> {
  const { rows } = await db.query<SessionState>({
    name: "get_session_state",
    text: `select id, ${SHARED_COLUMNS}, status,
      archived_at is not null as archived, terminated_at is not null as terminated
      from sessions where id = $1 and deleted_at is null`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Returns the same as `getSessionState`, and locks the row until the transaction ends. */
export async function lockSessionState(tx: Queryable, id: string): Promise<SessionState | null> {
  const { rows } = await tx.query<SessionState>({
    name: "lock_session",
    text: `select id, ${SHARED_COLUMNS}, status,
      archived_at is not null as archived, terminated_at is not null as terminated
      from sessions where id = $1 and deleted_at is null for no key update`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Returns the state of a session. @throws errors.notFound, errors.notYours */
export const requireSession = requireAccess("session", getSessionState);

/** Returns the same as `requireSession`, and locks the session until the transaction ends. */
export const requireSessionForUpdate = requireAccess("session", lockSessionState);

/** @throws errors.sessionTerminated, errors.sessionArchived */
export function checkNotEnded(session: SessionState, sessionId: string): void {
  if (session.terminated) throw errors.sessionTerminated(sessionId);
  if (session.archived) throw errors.sessionArchived(sessionId);
}
