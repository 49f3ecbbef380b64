import type { Input, sessionRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import { patchMetadata } from "../../http/patch-metadata.ts";
import type { Principal } from "../../http/principal.ts";
import { appendUpdated, type SessionChange } from "../events/append-by-client.ts";
import { refuseEnded } from "./end-session.ts";
import { reachAndLock } from "./reach-session.ts";
import type { SessionRow } from "./session-row.ts";
import { getSession } from "./session-store.ts";

type UpdateInput = Input<typeof sessionRoutes.update>;

/**
 * Changes what is given: null clears, and metadata is changed pair by pair. The log tells what is different afterwards;
 * when nothing is, nothing is written. True when something was.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived
 */
export async function updateSession(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: UpdateInput,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const { id, ...state } = await reachAndLock(tx, principal, params.session_id);
    refuseEnded({ id, ...state }, params.session_id);
    const row = await getSession(tx, id);
    if (row === null) throw errors.notFound("session", params.session_id);
    const change = changeOf(row, body);
    if (Object.keys(change).length === 0) return false;
    await appendUpdated(tx, id, change);
    return true;
  });
}

function changeOf(row: SessionRow, body: UpdateInput["body"]): SessionChange {
  const title = body.title === undefined ? row.title : (body.title ?? "");
  const pairs = patchMetadata(row.metadata, body.metadata);
  return {
    ...(title === row.title ? {} : { title }),
    ...(isSame(pairs, row.metadata) ? {} : { metadata: pairs }),
  };
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
