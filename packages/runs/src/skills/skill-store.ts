import type { Queryable } from "@berth/store/db";
import type { PackedFile } from "@berth/store/skills";
import type { RunSession } from "../inputs/session-inputs-store.ts";

/** A skill as the system prompt describes it. */
export interface SessionSkill {
  name: string;
  description: string;
}

/** The version of a skill that a session is pinned to, with the positions of its files in the content. */
export interface PinnedSkill extends SessionSkill {
  /** uuid of the version. */
  id: string;
  sha256: string;
  files: PackedFile[];
}

/** Returns the session's skills by name. They are the same for the lifetime of the session. */
export async function readSkills(db: Queryable, session: RunSession): Promise<PinnedSkill[]> {
  if (session.agent.skills.length === 0) return [];
  const { rows } = await db.query<PinnedSkill>({
    name: "session_skills",
    text: `
      select v.id, skills.name, v.description, v.sha256, v.files
      from session_skills join skill_versions v on v.id = skill_version_id join skills on skills.id = v.skill_id
      where session_id = $1 order by skills.name`,
    values: [session.id],
  });
  return rows;
}

/** Returns which of the versions are not deleted. */
export async function existingVersions(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const text = "select id from skill_versions where id = any($1::uuid[])";
  const { rows } = await db.query<{ id: string }>({ name: "skill_versions_among", text, values: [ids] });
  return new Set(rows.map(({ id }) => id));
}
