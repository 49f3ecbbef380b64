import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { findSkillVersion, reachAndClaimSkill } from "./reach-skill.ts";

/**
 * Deletes a skill with its versions. Answers their contents, which stay until `removeUnused`.
 *
 * @throws errors.skillInUse while an agent that is not archived names it, or a session that goes on has it.
 */
export async function deleteSkill(
  db: DatabaseAccess,
  principal: Principal,
  skillId: string,
): Promise<string[]> {
  return await db.transaction(async (tx) => {
    const { id } = await reachAndClaimSkill(tx, principal, skillId);
    const versions = await claimVersions(tx, "skill_id = $1", id);
    if (await isNamed(tx, id, null)) throw errors.skillInUse(skillId, "an agent that is not archived");
    if (await isMounted(tx, versions)) throw errors.skillInUse(skillId, "a session that goes on");
    await tx.query({ name: "delete_skill", text: "delete from skills where id = $1", values: [id] });
    return versions.map(({ sha256 }) => sha256);
  });
}

/**
 * Deletes a version of a skill. Its content stays until `removeUnused`.
 *
 * @throws errors.skillVersionOnly, errors.skillVersionInUse
 */
export async function deleteSkillVersion(
  db: DatabaseAccess,
  principal: Principal,
  { skillId, version: given }: { skillId: string; version: string },
): Promise<Claimed> {
  return await db.transaction(async (tx) => {
    const skill = await reachAndClaimSkill(tx, principal, skillId);
    const { id, version, sha256 } = await findSkillVersion(tx, skill, skillId, given);
    const versions = await claimVersions(tx, "id = $1", id);
    if (await isOnly(tx, skill.id)) throw errors.skillVersionOnly(skillId, version);
    if (await isNamed(tx, skill.id, version))
      throw errors.skillVersionInUse(skillId, version, "an agent that is not archived");
    if (await isMounted(tx, versions))
      throw errors.skillVersionInUse(skillId, version, "a session that goes on");
    const text = `
      with skill as (update skills set updated_at = now() where id = $2)
      delete from skill_versions where id = $1`;
    await tx.query({ name: "delete_skill_version", text, values: [id, skill.id] });
    return { id, sha256 };
  });
}

interface Claimed {
  id: string;
  sha256: string;
}

/** Waits for sessions that are created with them just now, and holds off those to come. */
async function claimVersions(tx: Queryable, condition: string, id: string): Promise<Claimed[]> {
  const text = `select id, sha256 from skill_versions where ${condition} order by id for update`;
  return (await tx.query<Claimed>({ text, values: [id] })).rows;
}

/** Whether an agent names the skill, or just this version of it. */
async function isNamed(tx: Queryable, skillId: string, version: number | null): Promise<boolean> {
  const { rows } = await tx.query({
    name: "skill_is_named",
    text: `
      select 1 as named from agent_skills join agents on agents.id = agent_id
      where skill_id = $1 and ($2::integer is null or agent_skills.version = $2) and archived_at is null limit 1`,
    values: [skillId, version],
  });
  return rows.length > 0;
}

async function isMounted(tx: Queryable, versions: readonly Claimed[]): Promise<boolean> {
  const { rows } = await tx.query({
    name: "skill_is_mounted",
    text: `
      select 1 as mounted from session_skills join sessions on sessions.id = session_id
      where skill_version_id = any($1::uuid[]) and terminated_at is null and archived_at is null limit 1`,
    values: [versions.map(({ id }) => id)],
  });
  return rows.length > 0;
}

async function isOnly(tx: Queryable, skillId: string): Promise<boolean> {
  const text = "select 1 as there from skill_versions where skill_id = $1 limit 2";
  const { rows } = await tx.query({ name: "skill_has_versions", text, values: [skillId] });
  return rows.length < 2;
}
