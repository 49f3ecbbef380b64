import type { Agent, agentRoutes, Input, Page } from "@berth/contract";
import { fitting } from "@berth/store/db";
import { createdBounds, onwardPage, openCursor } from "../../request/page.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { toAgent } from "./agent-store.ts";
import { selectVersions } from "./agent-version-store.ts";

/** Returns a page of an agent's versions, newest first. A cursor holds the previous page's last one. */
export async function listAgentVersions(
  request: RequestScope,
  input: Input<typeof agentRoutes.versions>,
  agentUuid: string,
): Promise<Page<Agent>> {
  const cursor = openCursor(request, input);
  const rows = await selectVersions(request.db.read, agentUuid, {
    rows: input.query.limit + 1,
    below: cursor === null ? null : Number(cursor.position),
    ...createdBounds(input.query),
  });
  const { length } = fitting(rows, input.query.limit);
  return onwardPage(request, input, rows.map(toAgent), ({ version }) => String(version), length);
}
