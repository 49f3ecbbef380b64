import { type agentRoutes, type Input, newUuid } from "@berth/contract";
import { ownedBy, type Principal } from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { resolveSkills } from "./agent-skills.ts";
import { type AgentRow, insertAgent, storeAgentSkills } from "./agent-store.ts";
import { checkAgentSize } from "./check-agent-size.ts";
import { type AgentDeps, resolveAgent } from "./resolve-agent.ts";
import { checkMcp } from "./resolve-mcp.ts";

/** Creates an agent with all defaults filled in. @throws errors.invalid, and what `resolveSkills` throws. */
export async function createAgent(
  db: DatabaseAccess,
  deps: AgentDeps,
  principal: Principal,
  body: Input<typeof agentRoutes.create>["body"],
): Promise<AgentRow> {
  const create = async (tx: Queryable) => {
    const resolved = resolveAgent(body, deps.models);
    const definition = { ...resolved, skills: await resolveSkills(tx, principal, body.skills) };
    checkMcp(definition, deps.egressAllowPrivate);
    checkAgentSize(definition);
    const agent = {
      id: newUuid(),
      ...ownedBy(principal, body.visibility),
      definition,
      metadata: body.metadata ?? {},
    };
    const row = await insertAgent(tx, agent);
    if (definition.skills.length > 0) await storeAgentSkills(tx, row.id, definition.skills);
    return row;
  };
  return body.skills == null ? await create(db.write) : await db.transaction(create);
}
