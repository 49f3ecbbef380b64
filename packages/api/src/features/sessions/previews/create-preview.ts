import { formatId, type Input, newUuid, type previewRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { newLabel } from "../../previews/preview-addresses.ts";
import { requireSessionForUpdate } from "../state/session-state-store.ts";
import { insertPreview, type PreviewRow } from "./preview-store.ts";

/**
 * Creates a preview of a session that is neither archived nor terminated.
 *
 * @param maxSeconds Maximum seconds until it expires, and the default.
 * @throws errors.aboveCeiling, errors.sessionTerminated, errors.archived, errors.tooManyPreviews
 */
export async function createPreview(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: Input<typeof previewRoutes.create>,
  maxSeconds: number,
): Promise<PreviewRow> {
  const seconds = body.expires_in_seconds ?? maxSeconds;
  if (seconds > maxSeconds) throw errors.aboveCeiling("expires_in_seconds", maxSeconds);
  return await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, params.session_id);
    if (session.terminated) throw errors.sessionTerminated(params.session_id);
    if (session.archived) throw errors.archived("session", params.session_id);
    const row = await insertPreview(tx, {
      id: newUuid(),
      session_id: session.id,
      label: newLabel(),
      port: body.port,
      created_by: { type: principal.kind, id: formatId(principal.kind, principal.id) },
      seconds,
    });
    if (row === null) throw errors.tooManyPreviews(params.session_id);
    return row;
  });
}
