import { formatId, type Skill, uuidTimestamp } from "@berth/contract";
import {
  type OwnedRow,
  ownedFields,
  ownedList,
  requireAccess,
  requireAccessForUpdate,
  SHARED_COLUMNS,
  type SharedRow,
} from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { skillWarnings } from "./skill-warnings.ts";

export interface SkillRow extends OwnedRow {
  name: string;
  display_title: string | null;
  /** Description of the newest version. */
  description: string;
  latest_version: number;
  metadata: Record<string, string>;
}

const newestVersion = "from skill_versions where skill_id = skills.id order by version desc limit 1";
const COLUMNS = `id, ${SHARED_COLUMNS}, name, display_title, metadata, archived_at, updated_at,
  (select version ${newestVersion}) as latest_version, (select description ${newestVersion}) as description`;

/** Stores a skill without versions. Returns false when the owner has one of this name. */
export async function insertSkill(
  tx: Queryable,
  skill: SharedRow & Pick<SkillRow, "name" | "display_title" | "metadata">,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "insert_skill",
    text: `
      insert into skills (id, organization_id, owner_type, owner_id, name, display_title, metadata, last_version, updated_at, organization_access)
      values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)
      on conflict on constraint skills_by_name do nothing`,
    values: [
      skill.id,
      skill.organization_id,
      skill.owner_type,
      skill.owner_id,
      skill.name,
      skill.display_title,
      skill.metadata,
      uuidTimestamp(skill.id),
      skill.organization_access,
    ],
  });
  return rowCount === 1;
}

async function getSkill(db: Queryable, id: string): Promise<SkillRow | null> {
  const text = `select ${COLUMNS} from skills where id = $1`;
  return (await db.query<SkillRow>({ name: "get_skill", text, values: [id] })).rows[0] ?? null;
}

/** Returns the skills that exist, in no particular order. */
export async function getSkills(db: Queryable, ids: readonly string[]): Promise<SkillRow[]> {
  const text = `select ${COLUMNS} from skills where id = any($1::uuid[])`;
  return (await db.query<SkillRow>({ name: "get_skills", text, values: [ids] })).rows;
}

/** Returns the same as `getSkills`. Skills and versions cannot be deleted until the transaction ends. */
export async function lockSkills(tx: Queryable, ids: readonly string[]): Promise<SkillRow[]> {
  const text = "select from skills where id = any($1::uuid[]) order by id for share";
  await tx.query({ name: "lock_skills", text, values: [ids] });
  return await getSkills(tx, ids);
}

/** Locks a skill with its versions until the transaction ends. Nothing new can use it meanwhile. */
async function lockSkill(tx: Queryable, id: string): Promise<SkillRow | null> {
  // A second statement reads the row, because it sees what was committed while the first waited for the lock.
  const text = "select from skills where id = $1 for update";
  await tx.query({ name: "lock_skill", text, values: [id] });
  return await getSkill(tx, id);
}

/** @throws errors.notFound, errors.notYours */
export const requireSkill = requireAccess("skill", getSkill);

/** Returns the same as `requireSkill`, and locks the skill with its versions until the transaction ends. */
export const requireSkillForUpdate = requireAccessForUpdate("skill", getSkill, lockSkill);

/** Returns whether an agent that is not archived uses the skill, or the given version of it. */
export async function isUsedByAgent(
  tx: Queryable,
  skillUuid: string,
  version: number | null,
): Promise<boolean> {
  const { rows } = await tx.query({
    name: "skill_is_named",
    text: `
      select 1 as named from agent_skills join agents on agents.id = agent_id
      where skill_id = $1 and ($2::integer is null or agent_skills.version = $2) and archived_at is null limit 1`,
    values: [skillUuid, version],
  });
  return rows.length > 0;
}

/** Deletes a locked skill with its versions. */
export async function deleteSkillRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({ name: "delete_skill", text: "delete from skills where id = $1", values: [id] });
}

/** Stores the fields of a locked skill that an update may change. */
export async function updateSkillRow(
  tx: Queryable,
  skill: Pick<SkillRow, "id" | "display_title" | "metadata">,
): Promise<void> {
  await tx.query({
    name: "store_skill",
    text: "update skills set display_title = $2, metadata = $3, updated_at = now() where id = $1",
    values: [skill.id, skill.display_title, skill.metadata],
  });
}

/** Archives a skill. Does nothing if it is archived already. */
export async function archiveSkill(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_skill",
    text: "update skills set archived_at = now(), updated_at = now() where id = $1 and archived_at is null",
    values: [id],
  });
}

export const listSkills = ownedList<SkillRow>("skill", "skills", COLUMNS);

export function toSkill(row: SkillRow): Skill {
  return {
    id: formatId("skill", row.id),
    type: "skill",
    name: row.name,
    display_title: row.display_title,
    description: row.description,
    status: row.archived_at === null ? "active" : "archived",
    skill_type: "custom",
    latest_version: row.latest_version,
    warnings: skillWarnings(row),
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
