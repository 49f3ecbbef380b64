import { isDeepStrictEqual } from "node:util";
import type { agentRoutes, Input } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import { patchMetadata } from "../../http/patch-metadata.ts";
import type { Principal } from "../../http/principal.ts";
import { resolveSkills, storeAgentSkills } from "../skills/agent-skills.ts";
import { type AgentRow, getAgent, insertVersion } from "./agent-store.ts";
import { reachToChange } from "./reach-agent.ts";
import { type AgentDeps, changeAgent } from "./resolve-agent.ts";
import { checkMcp } from "./resolve-mcp.ts";

type Body = Input<typeof agentRoutes.update>["body"];

/**
 * Makes the next version of an agent, unless nothing would be different in it. Of those that change one version at once,
 * one does, and the others are told that it is not the newest any more.
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
    const agent = await reachToChange(tx, principal, agentId);
    if (body.version !== agent.version) throw errors.versionNotNewest(body.version, agent.version);
    const former = agent.definition.skills;
    const resolved = changeAgent(agent.definition, body, deps.models);
    const skills = body.skills === undefined ? former : await resolveSkills(tx, principal, body.skills);
    const definition = { ...resolved, skills };
    checkMcp(definition, deps.egressAllowPrivate);
    const metadata = patchMetadata(agent.metadata, body.metadata);
    const unchanged = isDeepStrictEqual([definition, metadata], [agent.definition, agent.metadata]);
    if (unchanged) return agent;
    await insertVersion(tx, agent.id, { version: agent.version + 1, definition, metadata });
    if (!isDeepStrictEqual(skills, former)) await storeAgentSkills(tx, agent.id, skills);
    const changed = await getAgent(tx, agent.id);
    if (changed === null) throw new Error("An agent that was just changed is not there.");
    return changed;
  });
}
