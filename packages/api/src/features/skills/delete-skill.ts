import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { deleteSkillRow, isUsedByAgent, requireSkillForUpdate } from "./skill-store.ts";
import {
  deleteSkillVersionRow,
  isOnlyVersion,
  isUsedBySession,
  type LockedVersion,
  lockVersion,
  lockVersionsOf,
  requireSkillVersion,
} from "./skill-version-store.ts";

const AGENT = "an agent that is not archived";
const SESSION = "a session that is neither terminated nor archived";

/**
 * Deletes a skill with its versions. Returns the hashes of their contents, which stay until
 * `removeUnusedContent` runs.
 *
 * @throws errors.skillInUse while an agent that is not archived names it, or an active session has it.
 */
export async function deleteSkill(
  db: DatabaseAccess,
  principal: Principal,
  skillId: string,
): Promise<string[]> {
  return await db.transaction(async (tx) => {
    const { id } = await requireSkillForUpdate(tx, principal, skillId);
    const versions = await lockVersionsOf(tx, id);
    if (await isUsedByAgent(tx, id, null)) throw errors.skillInUse(skillId, AGENT);
    if (await isUsedBySession(tx, versions)) throw errors.skillInUse(skillId, SESSION);
    await deleteSkillRow(tx, id);
    return versions.map(({ sha256 }) => sha256);
  });
}

/**
 * Deletes a version of a skill. Its content stays until `removeUnusedContent` runs.
 *
 * @throws errors.skillVersionOnly, errors.skillVersionInUse
 */
export async function deleteSkillVersion(
  db: DatabaseAccess,
  principal: Principal,
  { skillId, version: given }: { skillId: string; version: string },
): Promise<LockedVersion> {
  return await db.transaction(async (tx) => {
    const skill = await requireSkillForUpdate(tx, principal, skillId);
    const { id, version, sha256 } = await requireSkillVersion(tx, skill.id, skillId, given);
    const versions = await lockVersion(tx, id);
    if (await isOnlyVersion(tx, skill.id)) throw errors.skillVersionOnly(skillId, version);
    if (await isUsedByAgent(tx, skill.id, version)) throw errors.skillVersionInUse(skillId, version, AGENT);
    if (await isUsedBySession(tx, versions)) throw errors.skillVersionInUse(skillId, version, SESSION);
    await deleteSkillVersionRow(tx, id, skill.id);
    return { id, sha256 };
  });
}
