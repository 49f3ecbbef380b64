import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { getSession, getSessionState, lockSession, type SessionState } from "./session-store.ts";

/** The state of a session that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachSession(
  db: Queryable,
  principal: Principal,
  sessionId: string,
): Promise<SessionState> {
  return await reached(principal, sessionId, (id) => getSessionState(db, id));
}

/** As `reachSession`, and the state stays as it is until the transaction ends. */
export async function reachAndLock(
  tx: Queryable,
  principal: Principal,
  sessionId: string,
): Promise<SessionState> {
  return await reached(principal, sessionId, (id) => lockSession(tx, id));
}

/** The whole session, if the caller reaches it. @throws errors.notFound, errors.notYours */
export async function readSession(db: Queryable, principal: Principal, sessionId: string) {
  return await reached(principal, sessionId, (id) => getSession(db, id));
}

async function reached<Row extends SessionState | NonNullable<Awaited<ReturnType<typeof getSession>>>>(
  principal: Principal,
  sessionId: string,
  read: (id: string) => Promise<Row | null>,
): Promise<Row> {
  const id = parseId("session", sessionId);
  const row = id === null ? null : await read(id);
  if (row === null) throw errors.notFound("session", sessionId);
  if (!reaches(principal, row)) throw errors.notYours("session", sessionId);
  return row;
}
