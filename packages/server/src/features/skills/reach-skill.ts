import { parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import { claimSkill, getSkill, type SkillRow } from "./skill-store.ts";
import { getSkillVersion, type SkillVersionRow } from "./skill-version-store.ts";

/** A skill that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachSkill(db: Queryable, principal: Principal, skillId: string): Promise<SkillRow> {
  return await reached(principal, "skill", skillId, (id) => getSkill(db, id));
}

/** As `reachSkill`, and the skill stays as it is until the transaction ends. */
export async function reachAndClaimSkill(
  tx: Queryable,
  principal: Principal,
  skillId: string,
): Promise<SkillRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachSkill(tx, principal, skillId);
  return await reached(principal, "skill", skillId, () => claimSkill(tx, id));
}

/** A version of a skill by its number or id, as it stands in a path. @throws errors.skillVersionNotFound */
export async function findSkillVersion(
  db: Queryable,
  skill: SkillRow,
  skillId: string,
  given: string,
): Promise<SkillVersionRow> {
  const id = parseId("skill_version", given);
  const number = /^[1-9][0-9]{0,8}$/.test(given) ? Number(given) : null;
  const wanted = id === null ? number !== null && { version: number } : { id };
  const version = wanted === false ? null : await getSkillVersion(db, skill.id, wanted);
  if (version === null) throw errors.skillVersionNotFound(skillId, given);
  return version;
}
