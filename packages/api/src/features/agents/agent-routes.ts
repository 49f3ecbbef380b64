import { agentRoutes, formatId } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { archiveAgent, listAgents, requireAgent, toAgent } from "./agent-store.ts";
import { requireAgentVersion } from "./agent-version-store.ts";
import { createAgent } from "./create-agent.ts";
import { deleteAgent } from "./delete-agent.ts";
import { listAgentVersions } from "./list-agent-versions.ts";
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
