import { formatId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { AgentDefinition, AgentRow } from "../agents/agent-store.ts";
import { findSkillVersions, lockSkillVersions } from "../skills/skill-version-store.ts";

type AgentSkills = AgentDefinition["skills"];

/** The skills of a new session's agent, each in the version that the session pins. */
export interface PreparedSkills {
  pinned(): AgentSkills;
  /** Uuids of the versions. */
  versions(): string[];
  /** Prevents deletion of the versions until the transaction ends. @throws errors.agentSkillGone */
  lock(tx: Queryable): Promise<void>;
}

/**
 * Returns null for an agent without skills.
 *
 * @throws errors.agentSkillGone for a skill or version that was deleted after an older version of the agent
 * named it.
 */
export async function prepareSkills(db: Queryable, agent: AgentRow): Promise<PreparedSkills | null> {
  const { skills } = agent.definition;
  if (skills.length === 0) return null;
  const found = await findSkillVersions(db, skills);
  const pinned = skills.map((skill) => {
    const version = found.find((one) => formatId("skill", one.skill_id) === skill.skill_id);
    if (version === undefined) throw errors.agentSkillGone(skill.skill_id, skill.version);
    return { id: version.id, skill: { ...skill, version: version.version } };
  });
  const versions = () => pinned.map(({ id }) => id);
  return {
    pinned: () => pinned.map(({ skill }) => skill),
    versions,
    async lock(tx) {
      const locked = await lockSkillVersions(tx, versions());
      const gone = pinned.find(({ id }) => !locked.has(id));
      if (gone !== undefined) throw errors.agentSkillGone(gone.skill.skill_id, gone.skill.version);
    },
  };
}
