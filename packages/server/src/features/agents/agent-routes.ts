import { agentRoutes, formatId, newUuid } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { ownerOf } from "../../http/principal.ts";
import { resolveSkills, storeAgentSkills } from "../skills/agent-skills.ts";
import { agentAnswer, archiveAgent, deleteAgent, insertAgent, listAgents } from "./agent-store.ts";
import { versionPage, versionPlace } from "./agent-version-page.ts";
import { getVersion, listVersions } from "./agent-version-store.ts";
import { reachAgent } from "./reach-agent.ts";
import { type AgentDeps, resolveAgent } from "./resolve-agent.ts";
import { checkMcp } from "./resolve-mcp.ts";
import { updateAgent } from "./update-agent.ts";

export function mountAgents(app: HttpApp, deps: AgentDeps): void {
  mount(app, agentRoutes.create, async ({ principal, db }, { body }) => {
    const create = async (tx: Queryable) => {
      const resolved = resolveAgent(body, deps.models);
      const definition = { ...resolved, skills: await resolveSkills(tx, principal, body.skills) };
      checkMcp(definition, deps.egressAllowPrivate);
      const agent = { id: newUuid(), ...ownerOf(principal), definition, metadata: body.metadata ?? {} };
      const row = await insertAgent(tx, agent);
      if (definition.skills.length > 0) await storeAgentSkills(tx, row.id, definition.skills);
      return agentAnswer(row);
    };
    return body.skills == null ? await create(db.write) : await db.transaction(create);
  });
  mount(app, agentRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "agent");
    const filters = { archived: input.query.include_archived };
    const rows = await listAgents(context.db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "agent", rows, agentAnswer);
  });
  mount(app, agentRoutes.get, async ({ principal, db }, { params, query }) => {
    const agent = await reachAgent(db.read, principal, params.agent_id);
    if (query.version === undefined) return agentAnswer(agent);
    const version = await getVersion(db.read, agent.id, query.version);
    if (version === null) throw errors.agentVersionNotFound(params.agent_id, query.version, "version");
    return agentAnswer(version);
  });
  mount(app, agentRoutes.update, async ({ principal, db }, { params, body }) =>
    agentAnswer(await updateAgent(db, deps, principal, params.agent_id, body)),
  );
  mount(app, agentRoutes.delete, async ({ principal, db }, { params }) => {
    const { id } = await reachAgent(db.read, principal, params.agent_id);
    if (!(await deleteAgent(db.write, id))) {
      throw errors.inUse("agent", params.agent_id, "sessions that were created with it");
    }
    return { id: formatId("agent", id), type: "agent_deleted" as const };
  });
  mount(app, agentRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await reachAgent(db.read, principal, params.agent_id);
    await archiveAgent(db.write, id);
    return agentAnswer(await reachAgent(db.read, principal, params.agent_id));
  });
  mount(app, agentRoutes.versions, async (context, input) => {
    const { id } = await reachAgent(context.db.read, context.principal, input.params.agent_id);
    const place = versionPlace(context, input);
    return versionPage(context, input, await listVersions(context.db.read, id, place));
  });
}
