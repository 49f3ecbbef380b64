import { formatId, parseId, type SkillVersion, uuidTimestamp } from "@berth/contract";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { PackedFile } from "@berth/store/skills";
import { skillWarnings } from "./skill-warnings.ts";

export interface SkillVersionRow {
  id: string;
  skill_id: string;
  version: number;
  /** The skill's name. */
  name: string;
  description: string;
  sha256: string;
  size_bytes: number;
  /** Files, ordered by path. */
  files: PackedFile[];
}

type NewSkillVersion = Omit<SkillVersionRow, "version" | "name">;

const columns = `id, skill_id, version, (select name from skills where skills.id = skill_id) as name, description,
  sha256, size_bytes, files`;

/** Stores the next version of a skill. */
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

/** Returns a version by its number or uuid, or null when there is none. */
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

/**
 * Returns a version of a skill by its number or id, as given in a path.
 *
 * @param skillId the skill's id as given, for the message.
 * @throws errors.skillVersionNotFound
 */
export async function requireSkillVersion(
  db: Queryable,
  skillUuid: string,
  skillId: string,
  given: string,
): Promise<SkillVersionRow> {
  const id = parseId("skill_version", given);
  const number = /^[1-9][0-9]{0,8}$/.test(given) ? Number(given) : null;
  const wanted = id === null ? number !== null && { version: number } : { id };
  const version = wanted === false ? null : await getSkillVersion(db, skillUuid, wanted);
  if (version === null) throw errors.skillVersionNotFound(skillId, given);
  return version;
}

/** Finds the given versions of skills; a null version means the newest. Omits those that do not exist. */
export async function findSkillVersions(
  db: Queryable,
  skills: readonly { skill_id: string; version: number | null }[],
): Promise<Pick<SkillVersionRow, "id" | "skill_id" | "version">[]> {
  const { rows } = await db.query<Pick<SkillVersionRow, "id" | "skill_id" | "version">>({
    name: "find_skill_versions",
    text: `
      select v.id, v.skill_id, v.version
      from unnest($1::uuid[], $2::integer[]) as wanted (skill_id, version)
      cross join lateral (
        select id, skill_id, version from skill_versions
        where skill_versions.skill_id = wanted.skill_id
          and (wanted.version is null or skill_versions.version = wanted.version)
        order by version desc limit 1
      ) as v`,
    values: [skills.map((skill) => parseId("skill", skill.skill_id)), skills.map((skill) => skill.version)],
  });
  return rows;
}

/** Returns the uuids of the versions that exist, and prevents their deletion until the transaction ends. */
export async function lockSkillVersions(tx: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const text = "select id from skill_versions where id = any($1::uuid[]) order by id for key share";
  const { rows } = await tx.query<{ id: string }>({ name: "lock_skill_versions", text, values: [ids] });
  return new Set(rows.map(({ id }) => id));
}

export type LockedVersion = Pick<SkillVersionRow, "id" | "sha256">;

/** Locks the versions of a skill for deletion. Waits for sessions that are being created with them. */
export async function lockVersionsOf(tx: Queryable, skillUuid: string): Promise<LockedVersion[]> {
  const text = "select id, sha256 from skill_versions where skill_id = $1 order by id for update";
  return (await tx.query<LockedVersion>({ text, values: [skillUuid] })).rows;
}

/** Locks one version for deletion, as `lockVersionsOf` does. */
export async function lockVersion(tx: Queryable, id: string): Promise<LockedVersion[]> {
  const text = "select id, sha256 from skill_versions where id = $1 for update";
  return (await tx.query<LockedVersion>({ text, values: [id] })).rows;
}

/** Returns whether a session that is neither terminated nor archived has one of the versions. */
export async function isUsedBySession(tx: Queryable, versions: readonly LockedVersion[]): Promise<boolean> {
  const { rows } = await tx.query({
    name: "skill_is_mounted",
    text: `
      select 1 as mounted from session_skills join sessions on sessions.id = session_id
      where skill_version_id = any($1::uuid[]) and terminated_at is null and archived_at is null limit 1`,
    values: [versions.map(({ id }) => id)],
  });
  return rows.length > 0;
}

export async function isOnlyVersion(tx: Queryable, skillUuid: string): Promise<boolean> {
  const text = "select 1 as there from skill_versions where skill_id = $1 limit 2";
  const { rows } = await tx.query({ name: "skill_has_versions", text, values: [skillUuid] });
  return rows.length < 2;
}

export async function deleteSkillVersionRow(tx: Queryable, id: string, skillUuid: string): Promise<void> {
  const text = `
    with skill as (update skills set updated_at = now() where id = $2)
    delete from skill_versions where id = $1`;
  await tx.query({ name: "delete_skill_version", text, values: [id, skillUuid] });
}

export async function listSkillVersions(
  db: Queryable,
  skillId: string,
  range: KeysetRange,
): Promise<SkillVersionRow[]> {
  const branches = [{ column: "skill_id", value: skillId }];
  const listing = { table: "skill_versions", columns, bytes: "octet_length(files::text)" };
  return await selectKeyset<SkillVersionRow>(db, range, listing, branches);
}

export function toSkillVersion(row: SkillVersionRow): SkillVersion {
  return {
    id: formatId("skill_version", row.id),
    type: "skill_version",
    skill_id: formatId("skill", row.skill_id),
    version: row.version,
    name: row.name,
    description: row.description,
    warnings: skillWarnings(row),
    files: row.files.map(({ path, size_bytes, executable, sha256: content_sha256 }) => ({
      path,
      size_bytes,
      executable,
      content_sha256,
    })),
    size_bytes: row.size_bytes,
    created_at: uuidTimestamp(row.id),
  };
}
