import { isDeepStrictEqual } from "node:util";
import type { Input, skillRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { patchMetadata } from "../../request/patch-metadata.ts";
import { requireSkill, requireSkillForUpdate, type SkillRow, updateSkillRow } from "./skill-store.ts";

type Body = Input<typeof skillRoutes.update>["body"];

/**
 * Updates a skill's title and metadata. An update that changes nothing leaves `updated_at` as it is.
 *
 * @throws errors.locked
 */
export async function updateSkill(
  db: DatabaseAccess,
  principal: Principal,
  skillId: string,
  body: Body,
): Promise<SkillRow> {
  return await db.transaction(async (tx) => {
    const skill = await requireSkillForUpdate(tx, principal, skillId);
    if (skill.archived_at !== null) throw errors.locked("skill", skillId);
    const changed = {
      ...skill,
      display_title: body.display_title === undefined ? skill.display_title : body.display_title,
      metadata: patchMetadata(skill.metadata, body.metadata),
    };
    if (isDeepStrictEqual(changed, skill)) return skill;
    await updateSkillRow(tx, changed);
    return await requireSkill(tx, principal, skillId);
  });
}
