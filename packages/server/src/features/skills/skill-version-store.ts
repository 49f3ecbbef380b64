import { formatId, type SkillVersion, uuidTimestamp } from "@berth/contract";
import { type KeysetPlace, selectKeyset } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { PackedFile } from "./pack-skill.ts";

export interface SkillVersionRow {
  id: string;
  skill_id: string;
  version: number;
  /** The skill's. */
  name: string;
  description: string;
  sha256: string;
  size_bytes: number;
  /** In the order of their paths. */
  files: PackedFile[];
}

export type NewSkillVersion = Omit<SkillVersionRow, "version" | "name">;

const columns = `id, skill_id, version, (select name from skills where skills.id = skill_id) as name, description,
  sha256, size_bytes, files`;

/** Stores the next version of a skill, which it makes the newest one. */
export async function insertSkillVersion(tx: Queryable, version: NewSkillVersion): Promise<void> {
  await tx.query({
    name: "insert_skill_version",
    text: `
      with skill as (
        update skills set last_version = last_version + 1, updated_at = $7 where id = $2 returning last_version
      )
      insert into skill_versions (id, skill_id, version, description, sha256, size_bytes, files)
      select $1::uuid, $2::uuid, last_version, $3::text, $4::text, $5::bigint, $6::json from skill`,
    values: [
      version.id,
      version.skill_id,
      version.description,
      version.sha256,
      version.size_bytes,
      JSON.stringify(version.files),
      uuidTimestamp(version.id),
    ],
  });
}

/** By its number or its uuid. */
export async function getSkillVersion(
  db: Queryable,
  skillId: string,
  wanted: { id: string } | { version: number },
): Promise<SkillVersionRow | null> {
  const [name, condition, value] =
    "id" in wanted
      ? ["get_skill_version_by_id", "id = $2", wanted.id]
      : ["get_skill_version", "version = $2::bigint", wanted.version];
  const text = `select ${columns} from skill_versions where skill_id = $1 and ${condition}`;
  return (await db.query<SkillVersionRow>({ name, text, values: [skillId, value] })).rows[0] ?? null;
}

export async function listSkillVersions(
  db: Queryable,
  skillId: string,
  place: KeysetPlace,
): Promise<SkillVersionRow[]> {
  const branches = [{ column: "skill_id", value: skillId }];
  return await selectKeyset<SkillVersionRow>(db, place, { table: "skill_versions", columns }, branches);
}

/** The version as the API answers it. */
export function skillVersionAnswer(row: SkillVersionRow): SkillVersion {
  return {
    id: formatId("skill_version", row.id),
    type: "skill_version",
    skill_id: formatId("skill", row.skill_id),
    version: row.version,
    name: row.name,
    description: row.description,
    files: row.files.map(({ path, size_bytes, executable }) => ({ path, size_bytes, executable })),
    size_bytes: row.size_bytes,
    created_at: uuidTimestamp(row.id),
  };
}
