import type { Queryable } from "../../db/statement.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import { getSession, getSessionState, lockSession, type SessionState } from "./session-store.ts";

/** The state of a session that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachSession(
  db: Queryable,
  principal: Principal,
  sessionId: string,
): Promise<SessionState> {
  return await reached(principal, "session", sessionId, (id) => getSessionState(db, id));
}

/** As `reachSession`, and the state stays as it is until the transaction ends. */
export async function reachAndLock(
  tx: Queryable,
  principal: Principal,
  sessionId: string,
): Promise<SessionState> {
  return await reached(principal, "session", sessionId, (id) => lockSession(tx, id));
}

/** The whole session, if the caller reaches it. @throws errors.notFound, errors.notYours */
export async function readSession(db: Queryable, principal: Principal, sessionId: string) {
  return await reached(principal, "session", sessionId, (id) => getSession(db, id));
}
