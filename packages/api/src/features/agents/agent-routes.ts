import { type Agent, agentRoutes, formatId, type Input, type Page } from "@berth/contract";
import { fitting } from "@berth/store/db";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { createdBounds, listPage, onwardPage, openCursor } from "../../request/page.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { archiveAgent, listAgents, requireAgent, toAgent } from "./agent-store.ts";
import { requireAgentVersion, selectVersions } from "./agent-version-store.ts";
import { createAgent } from "./create-agent.ts";
import { deleteAgent } from "./delete-agent.ts";
import type { AgentDeps } from "./resolve-agent.ts";
import { updateAgent } from "./update-agent.ts";

export function mountAgents(app: HttpApp, deps: AgentDeps): void {
  mount(app, agentRoutes.create, async ({ principal, db }, { body }) =>
    toAgent(await createAgent(db, deps, principal, body)),
  );
  mount(app, agentRoutes.list, (request, input) =>
    listPage(request, input, "agent", toAgent, (range) =>
      listAgents(request.db.read, request.principal, range, input.query),
    ),
  );
  mount(app, agentRoutes.get, async ({ principal, db }, { params, query }) => {
    const agent = await requireAgent(db.read, principal, params.agent_id);
    if (query.version === undefined) return toAgent(agent);
    return toAgent(await requireAgentVersion(db.read, agent.id, query.version, "version"));
  });
  mount(app, agentRoutes.update, async ({ principal, db }, { params, body }) =>
    toAgent(await updateAgent(db, deps, principal, params.agent_id, body)),
  );
  mount(app, agentRoutes.delete, async ({ principal, db }, { params }) => ({
    id: formatId("agent", await deleteAgent(db, principal, params.agent_id)),
    type: "agent_deleted" as const,
  }));
  mount(app, agentRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await requireAgent(db.read, principal, params.agent_id);
    await archiveAgent(db.write, id);
    return toAgent(await requireAgent(db.read, principal, params.agent_id));
  });
  mount(app, agentRoutes.versions, async (request, input) => {
    const { id } = await requireAgent(request.db.read, request.principal, input.params.agent_id);
    return await listAgentVersions(request, input, id);
  });
}

/** Returns a page of an agent's versions, newest first. A cursor holds the previous page's last one. */
async function listAgentVersions(
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
