import { formatId, parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { AgentDefinition, AgentRow } from "../agents/agent-store.ts";
import type { Prepared } from "../session-resources/prepared.ts";

type AgentSkills = AgentDefinition["skills"];

/** The skills of a new session: those of its agent, each in the version that is pinned with the session. */
export interface PreparedSkills extends Required<Pick<Prepared, "hold">> {
  pinned(): AgentSkills;
  /** Uuids of the versions. */
  versions(): string[];
}

interface Version {
  id: string;
  skill_id: string;
  version: number;
}

/** @throws errors.agentSkillGone for a skill, or a version of it, that is deleted since an older version of the agent named it. */
export async function prepareSkills(db: Queryable, agent: AgentRow): Promise<PreparedSkills | null> {
  const { skills } = agent.definition;
  if (skills.length === 0) return null;
  const found = await findVersions(db, skills);
  const pinned = skills.map((skill) => {
    const version = found.find((one) => formatId("skill", one.skill_id) === skill.skill_id);
    if (version === undefined) throw errors.agentSkillGone(skill.skill_id, skill.version);
    return { ...version, skill: { ...skill, version: version.version } };
  });
  return {
    pinned: () => pinned.map(({ skill }) => skill),
    versions: () => pinned.map(({ id }) => id),
    async hold(tx) {
      const text = "select id from skill_versions where id = any($1::uuid[]) order by id for key share";
      const values = [pinned.map(({ id }) => id)];
      const { rows } = await tx.query<{ id: string }>({ name: "hold_skill_versions", text, values });
      const gone = pinned.find(({ id }) => !rows.some((row) => row.id === id));
      if (gone !== undefined) throw errors.agentSkillGone(gone.skill.skill_id, gone.skill.version);
    },
  };
}

async function findVersions(db: Queryable, skills: AgentSkills): Promise<Version[]> {
  const { rows } = await db.query<Version>({
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
