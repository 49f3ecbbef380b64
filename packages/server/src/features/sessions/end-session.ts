import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { appendInputs, appendTerminated } from "../events/append-by-client.ts";
import { waitingInputs } from "../events/event-store.ts";
import { reachAndLock, reachSession } from "./reach-session.ts";
import { markArchived, markDeleted, type SessionState } from "./session-store.ts";

/**
 * Interrupts the turn that is running, about to run, or waits for a client's answers. True when there was one.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived
 */
export async function cancelSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<boolean> {
  const session = await reachSession(db.write, principal, sessionId);
  refuseEnded(session, sessionId);
  if (!(await hasTurn(db, session))) return false;
  const appended = await appendInputs(db.write, session.id, [{ type: "user.interrupt" }]);
  if (appended === "terminated") throw errors.sessionTerminated(sessionId);
  if (appended === "archived") throw errors.sessionArchived(sessionId);
  return true;
}

/** Interrupts the session's turn and makes it read-only for good. Archiving again changes nothing. */
export async function archiveSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await reachAndLock(tx, principal, sessionId);
    if (session.archived) return;
    if (session.status === "running" || session.status === "rescheduling") {
      await appendInputs(tx, session.id, [{ type: "user.interrupt" }]);
    }
    await markArchived(tx, session.id);
  });
}

/**
 * Ends a session for good: whatever runs is cut off and can write nothing more.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived
 */
export async function terminateSession(
  db: DatabaseAccess,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await reachAndLock(tx, principal, sessionId);
    refuseEnded(session, sessionId);
    await appendTerminated(tx, session.id);
  });
}

/**
 * Deletes a session that does not run. Its files stay.
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
    const { id, status } = await reachAndLock(tx, principal, sessionId);
    if (status === "running" || status === "rescheduling") throw errors.sessionRunning(sessionId);
    await markDeleted(tx, id);
    return id;
  });
}

export function refuseEnded(session: SessionState, sessionId: string): void {
  if (session.terminated) throw errors.sessionTerminated(sessionId);
  if (session.archived) throw errors.sessionArchived(sessionId);
}

async function hasTurn(db: DatabaseAccess, session: SessionState): Promise<boolean> {
  if (session.status !== "idle") return true;
  const { messages, answers, requiresAction } = await waitingInputs(db.write, session.id);
  return messages || answers || requiresAction;
}
