import type { Principal } from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { appendInputs, appendTerminated, waitingInputs } from "@berth/store/session-log";
import { createdBy, creatorOf } from "./events/created-by.ts";
import { markArchived, markDeleted, markReleased } from "./session-store.ts";
import {
  checkNotEnded,
  requireSession,
  requireSessionForUpdate,
  type SessionState,
} from "./state/session-state-store.ts";

/**
 * Interrupts the turn that is running, pending, or waiting for a client's replies. Returns whether there was
 * one.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived
 */
export async function cancelSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<boolean> {
  const session = await requireSession(db.write, principal, sessionId);
  checkNotEnded(session, sessionId);
  if (!(await hasTurn(db.write, session))) return false;
  const creator = await creatorOf(db.read, principal);
  const appended = await appendInputs(db.write, session.id, createdBy(creator, [INTERRUPT]));
  if (appended === "terminated") throw errors.sessionTerminated(sessionId);
  if (appended === "archived") throw errors.sessionArchived(sessionId);
  return true;
}

/**
 * Lets turns of a session that was set aside run again. Returns false when it was not set aside.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived
 */
export async function releaseSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, sessionId);
    checkNotEnded(session, sessionId);
    return await markReleased(tx, session.id);
  });
}

/** Interrupts the session's turn and makes the session read-only. Does nothing if it is archived already. */
export async function archiveSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, sessionId);
    if (!session.archived) await archiveLocked(tx, session, principal);
  });
}

const INTERRUPT = { type: "user.interrupt" } as const;

/**
 * Interrupts and archives a session whose row is locked, in the name of a principal, or of Berth itself for
 * null. Its run ends the started calls, and user events that wait count as processed.
 */
export async function archiveLocked(
  tx: Queryable,
  session: Pick<SessionState, "id" | "status">,
  principal: Principal | null = null,
): Promise<void> {
  if (session.status !== "terminated" && (await hasTurn(tx, session))) {
    const events = principal === null ? [] : createdBy(await creatorOf(tx, principal), [INTERRUPT]);
    await appendInputs(tx, session.id, principal === null ? [INTERRUPT] : events);
  }
  await markArchived(tx, session.id);
}

/**
 * Terminates a session. A running turn is stopped and can write nothing more.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived
 */
export async function terminateSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, sessionId);
    checkNotEnded(session, sessionId);
    await appendTerminated(tx, session.id);
  });
}

/**
 * Deletes a session that is not running. Its files stay.
 *
 * @returns its uuid.
 * @throws errors.sessionRunning
 */
export async function deleteSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<string> {
  return await db.transaction(async (tx) => {
    const { id, status } = await requireSessionForUpdate(tx, principal, sessionId);
    if (status === "running" || status === "rescheduling") throw errors.sessionRunning(sessionId);
    await markDeleted(tx, [id]);
    return id;
  });
}

async function hasTurn(db: Queryable, { id, status }: Pick<SessionState, "id" | "status">): Promise<boolean> {
  if (status !== "idle") return true;
  const { messages, replies, requiresAction } = await waitingInputs(db, id);
  return messages || replies || requiresAction;
}
