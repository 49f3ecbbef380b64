import { type Agent, type agentRoutes, formatId, type Input, type Page } from "@berth/contract";
import { createdBounds, cursorScope, openCursor } from "../../request/page.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { toAgent } from "./agent-store.ts";
import { selectVersions } from "./agent-version-store.ts";

/** A page of an agent's versions, newest first. A cursor holds the last version of the page before. */
export async function listAgentVersions(
  request: RequestScope,
  input: Input<typeof agentRoutes.versions>,
  agentUuid: string,
): Promise<Page<Agent>> {
  const { limit } = input.query;
  const cursor = openCursor(request, input);
  const rows = await selectVersions(request.db.read, agentUuid, {
    rows: limit + 1,
    below: cursor === null ? null : Number(cursor.position),
    ...createdBounds(input.query),
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > shown.length && last !== undefined;
  const id = last === undefined ? null : formatId("agent", last.id);
  const scope = cursorScope(request, input);
  return {
    data: shown.map(toAgent),
    next_page: more
      ? request.cursors.seal(scope, { direction: "older", position: String(last.version) })
      : null,
    first_id: id,
    last_id: id,
    has_more: more,
  };
}
