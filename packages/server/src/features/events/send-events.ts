import type { InputEvent } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reachSession } from "../sessions/reach-session.ts";
import { appendInputs } from "./append-by-client.ts";
import { callAnswered, checkAnswers } from "./check-answers.ts";
import type { EventRow } from "./event-row.ts";
import { prepareMessageFiles } from "./prepare-message-files.ts";

/**
 * Appends what a client sends to its session, all or none.
 *
 * @returns the session's uuid and the stored events.
 * @throws errors.notFound, errors.notYours, errors.fileNotReady, errors.fileUnfit, errors.fileTooLarge,
 *   errors.sessionArchived, errors.sessionTerminated, errors.callAnswered
 */
export async function sendEvents(
  db: DatabaseAccess,
  blobs: BlobStore,
  principal: Principal,
  sessionId: string,
  events: readonly InputEvent[],
): Promise<{ id: string; rows: EventRow[] }> {
  const { id } = await reachSession(db.read, principal, sessionId);
  const files = prepareMessageFiles(blobs, events, "events");
  await files.find(db.read);
  files.reach(principal);
  await checkAnswers(db.read, id, events);
  files.checkState();
  const { hold } = files;
  const rows =
    hold === undefined
      ? await appendInputs(db.write, id, events)
      : await db.transaction(async (tx) => {
          await hold(tx);
          const appended = await appendInputs(tx, id, events);
          if (typeof appended !== "string") await files.keep(tx, id);
          return appended;
        });
  if (rows === "answered") throw await callAnswered(db.read, id, events);
  if (rows === "absent") throw errors.notFound("session", sessionId);
  if (rows === "archived") throw errors.sessionArchived(sessionId);
  if (rows === "terminated") throw errors.sessionTerminated(sessionId);
  return { id, rows };
}
