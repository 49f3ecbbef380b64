import { newUuid } from "@berth/contract";
import { ownedBy, type Principal } from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { lockContent } from "@berth/store/files";
import type { SkillUpload } from "./read-skill-upload.ts";
import { insertSkill, requireSkillForUpdate } from "./skill-store.ts";
import { insertSkillVersion } from "./skill-version-store.ts";

/** Stores a skill with its first version, and returns its uuid. @throws errors.nameTaken */
export async function addSkill(
  db: DatabaseAccess,
  principal: Principal,
  upload: SkillUpload,
): Promise<string> {
  const { name, displayTitle: display_title, metadata, visibility } = upload;
  const skill = { id: newUuid(), ...ownedBy(principal, visibility), name, display_title, metadata };
  await db.transaction(async (tx) => {
    if (!(await insertSkill(tx, skill))) throw errors.nameTaken("skill", name);
    await addVersion(tx, skill.id, upload);
  });
  return skill.id;
}

/** Stores the next version of a skill. Returns its uuid. @throws errors.locked, errors.skillNameDiffers */
export async function addSkillVersion(
  db: DatabaseAccess,
  principal: Principal,
  skillId: string,
  upload: SkillUpload,
): Promise<string> {
  return await db.transaction(async (tx) => {
    const skill = await requireSkillForUpdate(tx, principal, skillId);
    if (skill.archived_at !== null) throw errors.locked("skill", skillId);
    if (upload.name !== skill.name) throw errors.skillNameDiffers(upload.name, skill.name);
    return await addVersion(tx, skill.id, upload);
  });
}

async function addVersion(
  tx: Queryable,
  skillId: string,
  { content, description, files }: SkillUpload,
): Promise<string> {
  const id = newUuid();
  const { sha256, size } = content;
  await lockContent(tx, sha256);
  await content.keep();
  await insertSkillVersion(tx, { id, skill_id: skillId, description, sha256, size_bytes: size, files });
  return id;
}
