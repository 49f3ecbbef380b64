import { formatId, type Skill, uuidTimestamp } from "@berth/contract";
import { type KeysetPlace, selectReached, unlessArchived } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import { type OwnedRow, ownedFields } from "../../http/owned-row.ts";
import type { Owner, Principal } from "../../http/principal.ts";

export interface SkillRow extends OwnedRow {
  name: string;
  display_title: string | null;
  /** Of the newest version, as is the next. */
  description: string;
  latest_version: number;
  metadata: Record<string, string>;
}

const newest = "from skill_versions where skill_id = skills.id order by version desc limit 1";
const columns = `id, organization_id, owner_type, owner_id, name, display_title, metadata, archived_at, updated_at,
  (select version ${newest}) as latest_version, (select description ${newest}) as description`;

/** Stores a skill without its versions. False when the owner has one of this name. */
export async function insertSkill(
  tx: Queryable,
  skill: Owner & Pick<SkillRow, "id" | "name" | "display_title" | "metadata">,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "insert_skill",
    text: `
      insert into skills (id, organization_id, owner_type, owner_id, name, display_title, metadata, last_version, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, 0, $8)
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
    ],
  });
  return rowCount === 1;
}

export async function getSkill(db: Queryable, id: string): Promise<SkillRow | null> {
  const text = `select ${columns} from skills where id = $1`;
  return (await db.query<SkillRow>({ name: "get_skill", text, values: [id] })).rows[0] ?? null;
}

/** Those of the skills that exist, in no order. */
export async function getSkills(db: Queryable, ids: readonly string[]): Promise<SkillRow[]> {
  const text = `select ${columns} from skills where id = any($1::uuid[])`;
  return (await db.query<SkillRow>({ name: "get_skills", text, values: [ids] })).rows;
}

/** Those of the skills that exist, which stay, with their versions, until the transaction ends. */
export async function lockSkills(tx: Queryable, ids: readonly string[]): Promise<SkillRow[]> {
  const text = "select from skills where id = any($1::uuid[]) order by id for share";
  await tx.query({ name: "lock_skills", text, values: [ids] });
  return await getSkills(tx, ids);
}

/** The skill stays as it is until the transaction ends, and so do its versions; nobody begins to use it. */
export async function claimSkill(tx: Queryable, id: string): Promise<SkillRow | null> {
  // It is read by a statement of its own, which sees what was committed while this one waited.
  const text = "select from skills where id = $1 for update";
  await tx.query({ name: "claim_skill", text, values: [id] });
  return await getSkill(tx, id);
}

export async function storeSkill(
  tx: Queryable,
  skill: Pick<SkillRow, "id" | "display_title" | "metadata">,
): Promise<void> {
  await tx.query({
    name: "store_skill",
    text: "update skills set display_title = $2, metadata = $3, updated_at = now() where id = $1",
    values: [skill.id, skill.display_title, skill.metadata],
  });
}

/** Archiving again changes nothing. */
export async function archiveSkill(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_skill",
    text: "update skills set archived_at = now(), updated_at = now() where id = $1 and archived_at is null",
    values: [id],
  });
}

export async function listSkills(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: { archived: boolean },
): Promise<SkillRow[]> {
  const conditions = unlessArchived(filters);
  return await selectReached<SkillRow>(db, principal, place, { table: "skills", columns, conditions });
}

/** The skill as the API answers it. */
export function skillAnswer(row: SkillRow): Skill {
  return {
    id: formatId("skill", row.id),
    type: "skill",
    name: row.name,
    display_title: row.display_title,
    description: row.description,
    status: row.archived_at === null ? "active" : "archived",
    skill_type: "custom",
    latest_version: row.latest_version,
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
