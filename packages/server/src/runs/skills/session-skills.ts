import type { Queryable } from "../../db/statement.ts";
import type { PackedFile } from "../../features/skills/pack-skill.ts";
import type { RunSession } from "../inputs/run-session.ts";

/** What the system prompt says of a skill. */
export interface SessionSkill {
  name: string;
  description: string;
}

/** The version of a skill that a session has, with where its files lie. */
export interface PinnedSkill {
  /** Uuid of the version. */
  id: string;
  name: string;
  sha256: string;
  files: PackedFile[];
}

const of = `from session_skills join skill_versions v on v.id = skill_version_id join skills on skills.id = v.skill_id
  where session_id = $1 order by skills.name`;

/** In the order of their names. They are the same for as long as the session goes on. */
export async function readSkills(db: Queryable, session: RunSession): Promise<SessionSkill[]> {
  if (session.agent.skills.length === 0) return [];
  const text = `select skills.name, v.description ${of}`;
  return (await db.query<SessionSkill>({ name: "session_skills", text, values: [session.id] })).rows;
}

export async function readPinnedSkills(db: Queryable, session: RunSession): Promise<PinnedSkill[]> {
  if (session.agent.skills.length === 0) return [];
  const text = `select v.id, skills.name, v.sha256, v.files ${of}`;
  return (await db.query<PinnedSkill>({ name: "pinned_skills", text, values: [session.id] })).rows;
}
