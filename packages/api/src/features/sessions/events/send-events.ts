import type { InputEvent } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import { errors } from "@berth/store/errors";
import type { OwnerLimits } from "@berth/store/limits";
import { appendInputs, type EventRow } from "@berth/store/session-log";
import type { RequestScope } from "../../../request/request-scope.ts";
import { stoppedBy } from "../budgets/spend-store.ts";
import { requireSession } from "../state/session-state-store.ts";
import { addRules, addsRules, checkReplies, notAwaited } from "./check-replies.ts";
import { auditOfReplies, createdBy, creatorOf } from "./created-by.ts";
import { MessageFiles } from "./message-files.ts";
import { requireWorkAllowed } from "./work-limits.ts";

/**
 * Appends a client's events to a session, all or none.
 *
 * @returns the session's uuid and the stored events.
 * @throws errors.notFound, errors.notYours, errors.fileNotReady, errors.fileUnfit, errors.fileTooLarge,
 * errors.overLimit, errors.sessionArchived, errors.sessionTerminated, errors.callNotAwaited,
 * errors.tooMuchWaits, errors.budgetReached, errors.sessionSetAside, errors.tooManyConfirmationRules
 */
export async function sendEvents(
  { blobs, limits }: { blobs: BlobStore; limits: OwnerLimits },
  request: Pick<RequestScope, "db" | "principal" | "traceparent" | "auditEntry">,
  sessionId: string,
  events: readonly InputEvent[],
): Promise<{ id: string; rows: EventRow[] }> {
  const { db, principal, traceparent } = request;
  const session = await requireSession(db.read, principal, sessionId);
  const { id } = session;
  const files = new MessageFiles(blobs, events, "events");
  await files.load(db.read);
  await files.checkAccess(db.read, principal);
  await checkReplies(db.read, id, events);
  files.checkState();
  await requireWorkAllowed(db.read, limits, session, events);
  const { lock } = files;
  const origin = { traceparent, audit: auditOfReplies(request.auditEntry(), events) };
  const sent = createdBy(await creatorOf(db.read, principal), events);
  const rows =
    lock === undefined && !addsRules(events)
      ? await appendInputs(db.write, id, sent, origin)
      : await db.transaction(async (tx) => {
          await lock?.(tx);
          const appended = await appendInputs(tx, id, sent, origin);
          if (typeof appended === "string") return appended;
          if (lock !== undefined) await files.keep(tx, id);
          await addRules(tx, { id: sessionId, uuid: id }, sent);
          return appended;
        });
  if (rows === "not_awaited") throw await notAwaited(db.read, id, events);
  if (rows === "set_aside") throw errors.sessionSetAside(sessionId);
  if (rows === "budget_reached") throw errors.budgetReached(await stoppedBy(db.read, id));
  if (rows === "full") throw errors.tooMuchWaits();
  if (rows === "absent") throw errors.notFound("session", sessionId);
  if (rows === "archived") throw errors.sessionArchived(sessionId);
  if (rows === "terminated") throw errors.sessionTerminated(sessionId);
  return { id, rows };
}
