import { formatId, parseId, type ReleasedSession } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { OperatorError } from "@berth/store/errors";
import { markReleased } from "../features/sessions/session-store.ts";
import { checkNotEnded, lockSessionState } from "../features/sessions/state/session-state-store.ts";

/**
 * Lets turns of a session that was set aside run again, whoever owns it. A runner finds it at its next poll
 * for due sessions.
 *
 * @throws OperatorError when the session does not exist; errors.sessionTerminated, errors.sessionArchived
 */
export async function releaseAnySession(tx: Queryable, given: string): Promise<ReleasedSession> {
  const uuid = parseId("session", given);
  const session = uuid === null ? null : await lockSessionState(tx, uuid);
  if (session === null)
    throw new OperatorError(`Session '${given.slice(0, 100)}' does not exist.`, "not_found_error");
  checkNotEnded(session, given);
  return {
    id: given,
    type: "session_released",
    organization_id: formatId("organization", session.organization_id),
    was_set_aside: await markReleased(tx, session.id),
  };
}
