import type { agentRoutes, Input } from "@berth/contract";
import { checkNotArchived, type Principal, References } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { lockSkills, type SkillRow } from "../skills/skill-store.ts";
import { getSkillVersion } from "../skills/skill-version-store.ts";
import type { AgentDefinition } from "./agent-store.ts";

type Given = NonNullable<Input<typeof agentRoutes.create>["body"]["skills"]>;

/**
 * Resolves the skills in a request for an agent, and locks them until the transaction ends.
 *
 * @throws errors.notFound, errors.skillVersionNotFound, errors.notYours, errors.archived; errors.invalid when
 * two skills have the same name.
 */
export async function resolveSkills(
  tx: Queryable,
  principal: Principal,
  given: Given | null | undefined,
): Promise<AgentDefinition["skills"]> {
  const skills = (given ?? []).map((skill, index) => ({
    ...skill,
    id: skill.skill_id,
    index,
    param: `skills[${index}].skill_id`,
  }));
  const references = new References<(typeof skills)[number], SkillRow>("skill", skills, {
    read: lockSkills,
    checkState: ({ id }, row) => checkNotArchived("skill", id, row),
  });
  await references.load(tx);
  for (const { given, row } of references.pairs) await checkVersion(tx, row, given);
  await references.checkAccess(tx, principal);
  references.checkState();
  checkNames(references.pairs.map(({ row }) => row));
  return references.pairs.map(({ given, row }) => ({
    type: "custom",
    skill_id: given.id,
    version: given.version ?? null,
    name: row.name,
  }));
}

async function checkVersion(
  tx: Queryable,
  skill: SkillRow,
  { id, version, index }: { id: string; version?: number | null | undefined; index: number },
): Promise<void> {
  if (version == null || (await getSkillVersion(tx, skill.id, { version })) !== null) return;
  throw errors.skillVersionNotFound(id, version, `skills[${index}].version`);
}

function checkNames(skills: readonly SkillRow[]): void {
  const names = new Set<string>();
  for (const [index, { name }] of skills.entries()) {
    const param = `skills[${index}].skill_id`;
    if (names.has(name)) throw errors.invalid(`The agent already has a skill named '${name}'.`, param);
    names.add(name);
  }
}
