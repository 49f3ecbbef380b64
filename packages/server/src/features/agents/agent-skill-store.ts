import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { AgentDefinition } from "./agent-store.ts";

/** Stores which skills the newest version of an agent uses. */
export async function storeAgentSkills(
  tx: Queryable,
  agentId: string,
  skills: AgentDefinition["skills"],
): Promise<void> {
  await tx.query({
    name: "clear_agent_skills",
    text: "delete from agent_skills where agent_id = $1",
    values: [agentId],
  });
  if (skills.length === 0) return;
  await tx.query({
    name: "insert_agent_skills",
    text: `
      insert into agent_skills (agent_id, skill_id, version)
      select $1, skill_id, version from unnest($2::uuid[], $3::integer[]) as skill (skill_id, version)`,
    values: [
      agentId,
      skills.map((skill) => parseId("skill", skill.skill_id)),
      skills.map((skill) => skill.version),
    ],
  });
}
