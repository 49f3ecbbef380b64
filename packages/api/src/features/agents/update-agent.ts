import { isDeepStrictEqual } from "node:util";
import type { agentRoutes, Input } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { patchMetadata } from "../../request/patch-metadata.ts";
import { resolveSkills } from "./agent-skills.ts";
import {
  type AgentRow,
  getAgent,
  insertVersion,
  requireAgentForUpdate,
  storeAgentSkills,
} from "./agent-store.ts";
import { checkAgentSize } from "./check-agent-size.ts";
import { type AgentDeps, changeAgent } from "./resolve-agent.ts";
import { checkMcp } from "./resolve-mcp.ts";

type Body = Input<typeof agentRoutes.update>["body"];

/**
 * Creates the next version of an agent, unless it would equal the current one. Of concurrent changes of one
 * version, one succeeds; the others fail because their version is not the newest.
 *
 * @throws errors.versionNotNewest, errors.locked, errors.invalid
 */
export async function updateAgent(
  db: DatabaseAccess,
  deps: AgentDeps,
  principal: Principal,
  agentId: string,
  body: Body,
): Promise<AgentRow> {
  return await db.transaction(async (tx) => {
    const agent = await requireAgentForUpdate(tx, principal, agentId);
    if (agent.archived_at !== null) throw errors.locked("agent", agentId);
    if (body.version !== agent.version) throw errors.versionNotNewest(body.version, agent.version);
    const previous = agent.definition.skills;
    const resolved = changeAgent(agent.definition, body, deps.models);
    const skills = body.skills === undefined ? previous : await resolveSkills(tx, principal, body.skills);
    const definition = { ...resolved, skills };
    checkMcp(definition, deps.egressAllowPrivate);
    checkAgentSize(definition);
    const metadata = patchMetadata(agent.metadata, body.metadata);
    const unchanged = isDeepStrictEqual([definition, metadata], [agent.definition, agent.metadata]);
    if (unchanged) return agent;
    await insertVersion(tx, agent.id, { version: agent.version + 1, definition, metadata });
    if (!isDeepStrictEqual(skills, previous)) await storeAgentSkills(tx, agent.id, skills);
    const changed = await getAgent(tx, agent.id);
    if (changed === null) throw new Error("An agent is missing after its update.");
    return changed;
  });
}
