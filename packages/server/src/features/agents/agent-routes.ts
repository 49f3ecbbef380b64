import { agentRoutes, newUuid, parseId } from "@berth/contract";
import type { Database } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { ownerOf, reaches } from "../../http/principal.ts";
import { agentAnswer, getAgent, insertAgent, listAgents } from "./agent-store.ts";
import { type ModelWindows, resolveAgent } from "./resolve-agent.ts";

export function mountAgents(app: HttpApp, db: Database, models: ModelWindows): void {
  mount(app, agentRoutes.create, async ({ principal }, { body }) => {
    const definition = resolveAgent(body, models);
    const agent = { id: newUuid(), ...ownerOf(principal), definition, metadata: body.metadata ?? {} };
    return agentAnswer(await insertAgent(db.write, agent));
  });
  mount(app, agentRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "agent");
    const filters = { archived: input.query.include_archived };
    const rows = await listAgents(db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "agent", rows, agentAnswer);
  });
  mount(app, agentRoutes.get, async ({ principal }, { params }) => {
    const id = parseId("agent", params.agent_id);
    const row = id === null ? null : await getAgent(db.read, id);
    if (row === null) throw errors.notFound("agent", params.agent_id);
    if (!reaches(principal, row)) throw errors.notYours("agent", params.agent_id);
    return agentAnswer(row);
  });
}
