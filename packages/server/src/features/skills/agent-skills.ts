import { type agentRoutes, formatId, type Input, parseId, uuidOrNil } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import type { AgentDefinition } from "../agents/agent-store.ts";
import { lockSkills, type SkillRow } from "./skill-store.ts";
import { getSkillVersion } from "./skill-version-store.ts";

type Given = NonNullable<Input<typeof agentRoutes.create>["body"]["skills"]>;
type AgentSkills = AgentDefinition["skills"];

/**
 * The skills that an agent is given. They stay until the transaction ends.
 *
 * @throws errors.notFound, errors.skillVersionNotFound, errors.notYours, errors.archived; errors.invalid for two of one name.
 */
export async function resolveSkills(
  tx: Queryable,
  principal: Principal,
  given: Given | null | undefined,
): Promise<AgentSkills> {
  if (given == null || given.length === 0) return [];
  const rows = await lockSkills(
    tx,
    given.map((skill) => uuidOrNil("skill", skill.skill_id)),
  );
  const found = given.map(({ skill_id: id }) => {
    const row = rows.find((one) => formatId("skill", one.id) === id);
    if (row === undefined) throw errors.notFound("skill", id);
    return row;
  });
  for (const [index, { skill_id: id, version }] of given.entries()) {
    const row = found[index];
    if (row !== undefined && version != null) await checkVersion(tx, row, id, version, index);
  }
  for (const row of found) {
    if (!reaches(principal, row)) throw errors.notYours("skill", formatId("skill", row.id));
  }
  for (const row of found) {
    if (row.archived_at !== null) throw errors.archived("skill", formatId("skill", row.id));
  }
  checkNames(found);
  return given.map(({ skill_id, version }, index) => ({
    type: "custom",
    skill_id,
    version: version ?? null,
    name: found[index]?.name ?? "",
  }));
}

/** Keeps which skills the newest version of an agent names. */
export async function storeAgentSkills(tx: Queryable, agentId: string, skills: AgentSkills): Promise<void> {
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

async function checkVersion(
  tx: Queryable,
  skill: SkillRow,
  id: string,
  version: number,
  index: number,
): Promise<void> {
  const found = await getSkillVersion(tx, skill.id, { version });
  if (found === null) throw errors.skillVersionNotFound(id, version, `skills[${index}].version`);
}

function checkNames(skills: readonly SkillRow[]): void {
  const names = new Set<string>();
  for (const [index, { name }] of skills.entries()) {
    const param = `skills[${index}].skill_id`;
    if (names.has(name)) throw errors.invalid(`The agent has a skill named '${name}' already.`, param);
    names.add(name);
  }
}
