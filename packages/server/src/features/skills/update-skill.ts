import { isDeepStrictEqual } from "node:util";
import type { Input, skillRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import { patchMetadata } from "../../http/patch-metadata.ts";
import type { Principal } from "../../http/principal.ts";
import { reachAndClaimSkill, reachSkill } from "./reach-skill.ts";
import { type SkillRow, storeSkill } from "./skill-store.ts";

type Body = Input<typeof skillRoutes.update>["body"];

/** Changes a skill's title and metadata; a change that makes no difference leaves `updated_at` alone. @throws errors.locked */
export async function updateSkill(
  db: DatabaseAccess,
  principal: Principal,
  skillId: string,
  body: Body,
): Promise<SkillRow> {
  return await db.transaction(async (tx) => {
    const skill = await reachAndClaimSkill(tx, principal, skillId);
    if (skill.archived_at !== null) throw errors.locked("skill", skillId);
    const changed = {
      ...skill,
      display_title: body.display_title === undefined ? skill.display_title : body.display_title,
      metadata: patchMetadata(skill.metadata, body.metadata),
    };
    if (isDeepStrictEqual(changed, skill)) return skill;
    await storeSkill(tx, changed);
    return await reachSkill(tx, principal, skillId);
  });
}
