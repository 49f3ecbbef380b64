import { isDeepStrictEqual } from "node:util";
import { completeGitIdentity, type Input, type sessionRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { appendUpdated, type SessionChange } from "@berth/store/session-log";
import { patchMetadata } from "../../request/patch-metadata.ts";
import type { PricedModels } from "../usage/figures.ts";
import { changeBudget } from "./budgets/change-budget.ts";
import { requirePriced } from "./budgets/require-priced.ts";
import { updateFollow } from "./follow/update-follow.ts";
import { retryMcpServers } from "./retry-mcp-servers.ts";
import type { SessionRow } from "./session-row.ts";
import { getSession } from "./session-store.ts";
import { checkNotEnded, requireSessionForUpdate } from "./state/session-state-store.ts";

type UpdateInput = Input<typeof sessionRoutes.update>;

/**
 * Changes the given fields: null clears a field, and metadata is changed pair by pair. Appends the changes to
 * the log. Returns false when nothing differs.
 *
 * @throws errors.sessionTerminated, errors.sessionArchived, errors.invalid for an MCP server that the agent
 * does not have, errors.noBudget, errors.budgetTooLow
 */
export async function updateSession(
  db: DatabaseAccess,
  models: PricedModels,
  principal: Principal,
  { params, body }: UpdateInput,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, params.session_id);
    checkNotEnded(session, params.session_id);
    const row = await getSession(tx, session.id);
    if (row === null) throw errors.notFound("session", params.session_id);
    await retryMcpServers(tx, row, body.mcp_servers ?? []);
    requirePriced(models, { model: { id: row.model }, tools: [] }, { follow: body.follow });
    const isFollowChanged = await updateFollow(tx, row, body.follow);
    const change = { ...changeOf(row, body), ...(await changeBudget(tx, row, body.budget)) };
    if (Object.keys(change).length === 0) return isFollowChanged;
    await appendUpdated(tx, session.id, change);
    return true;
  });
}

function changeOf(row: SessionRow, body: UpdateInput["body"]): SessionChange {
  const title = body.title === undefined ? row.title : (body.title ?? "");
  const pairs = patchMetadata(row.metadata, body.metadata);
  const identity =
    body.git_identity === undefined ? row.git_identity : completeGitIdentity(body.git_identity);
  return {
    ...(title === row.title ? {} : { title }),
    ...(isSame(pairs, row.metadata) ? {} : { metadata: pairs }),
    ...(isDeepStrictEqual(identity, row.git_identity) ? {} : { git_identity: identity }),
  };
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
