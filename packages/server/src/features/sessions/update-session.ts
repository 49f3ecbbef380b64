import { type Input, metadata, type sessionRoutes } from "@berth/contract";
import type { Database } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
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
  db: Database,
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
  const pairs = body.metadata === undefined ? row.metadata : patched(row.metadata, body.metadata);
  return {
    ...(title === row.title ? {} : { title }),
    ...(isSame(pairs, row.metadata) ? {} : { metadata: pairs }),
  };
}

/** The pairs with the changes laid over. @throws errors.invalid when they are more than an object can have. */
function patched(
  pairs: Record<string, string>,
  changes: Record<string, string | null> | null,
): Record<string, string> {
  if (changes === null) return {};
  const entries = Object.entries({ ...pairs, ...changes });
  const result = Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
  if (metadata.safeParse(result).success) return result;
  throw errors.invalid("Field 'metadata' must have at most 16 pairs.", "metadata");
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
