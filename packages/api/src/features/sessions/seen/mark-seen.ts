import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { checkNotEnded, requireSession, requireSessionForUpdate } from "../state/session-state-store.ts";
import { addToDesk, removeUnseen } from "./seen-store.ts";

/** Marks a session as seen by the caller. @throws errors.notFound, errors.notYours */
export async function markSeen(db: DatabaseAccess, principal: Principal, sessionId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await requireSession(tx, principal, sessionId);
    await removeUnseen(tx, id, principal.id);
  });
}

/**
 * Marks a session as unseen by the caller, and puts it on their desk.
 *
 * @throws errors.notFound, errors.notYours; errors.sessionTerminated, errors.sessionArchived, since such a
 * session is on no desk
 */
export async function markUnseen(db: DatabaseAccess, principal: Principal, sessionId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, sessionId);
    checkNotEnded(session, sessionId);
    await addToDesk(tx, session.id, principal.id);
  });
}
