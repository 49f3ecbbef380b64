import { type Agent, formatId, parseId, type SessionAgent, uuidTimestamp } from "@berth/contract";
import {
  type OwnedRow,
  ownedFields,
  ownedList,
  requireAccess,
  requireAccessForUpdate,
  SHARED_COLUMNS,
  type SharedRow,
} from "@berth/store/access";
import { isForeignKeyViolation, type Queryable } from "@berth/store/db";

/** One version of an agent, with all defaults, without its metadata. */
export type AgentDefinition = Omit<SessionAgent, "id" | "type" | "version">;

export interface AgentRow extends OwnedRow {
  version: number;
  definition: AgentDefinition;
  metadata: Record<string, string>;
}

const newestVersion = "agent_versions v where v.agent_id = agents.id and v.version = agents.version";
const COLUMNS = `id, ${SHARED_COLUMNS}, version, archived_at, updated_at,
  (select definition from ${newestVersion}) as definition, (select metadata from ${newestVersion}) as metadata`;

/** Stores an agent and its first version. */
export async function insertAgent(
  db: Queryable,
  agent: SharedRow & Pick<AgentRow, "definition" | "metadata">,
): Promise<AgentRow> {
  const createdAt = uuidTimestamp(agent.id);
  await db.query({
    name: "insert_agent",
    text: `
      with agent as (
        insert into agents (id, organization_id, owner_type, owner_id, version, updated_at, organization_access)
        values ($1, $2, $3, $4, 1, $7, $8)
      )
      insert into agent_versions (agent_id, version, metadata, definition, created_at)
      values ($1, 1, $5, $6, $7)`,
    values: [
      agent.id,
      agent.organization_id,
      agent.owner_type,
      agent.owner_id,
      agent.metadata,
      agent.definition,
      createdAt,
      agent.organization_access,
    ],
  });
  return { ...agent, version: 1, archived_at: null, updated_at: new Date(createdAt) };
}

/** Returns the newest version of an agent, or null when there is no such agent. */
export async function getAgent(db: Queryable, id: string): Promise<AgentRow | null> {
  const text = `select ${COLUMNS} from agents where id = $1`;
  return (await db.query<AgentRow>({ name: "get_agent", text, values: [id] })).rows[0] ?? null;
}

/** Returns the newest versions of the agents that exist, in no particular order. */
export async function getAgents(db: Queryable, ids: readonly string[]): Promise<AgentRow[]> {
  const text = `select ${COLUMNS} from agents where id = any($1::uuid[])`;
  return (await db.query<AgentRow>({ name: "get_agents", text, values: [ids] })).rows;
}

/** Returns the same as `getAgent`, and locks the agent until the transaction ends. */
async function lockAgent(tx: Queryable, id: string): Promise<AgentRow | null> {
  // A second statement reads the newest version, because it sees what was committed while the first waited
  // for the lock.
  await tx.query({
    name: "lock_agent",
    text: "select from agents where id = $1 for no key update",
    values: [id],
  });
  return await getAgent(tx, id);
}

/** Returns the newest version of an agent. @throws errors.notFound, errors.notYours */
export const requireAgent = requireAccess("agent", getAgent);

/** Returns the same as `requireAgent`, and locks the agent until the transaction ends. */
export const requireAgentForUpdate = requireAccessForUpdate("agent", getAgent, lockAgent);

/** Stores the next version of an agent whose row is locked. */
export async function insertVersion(
  tx: Queryable,
  id: string,
  version: Pick<AgentRow, "version" | "definition" | "metadata">,
): Promise<void> {
  await tx.query({
    name: "insert_agent_version",
    text: `
      with agent as (update agents set version = $2, updated_at = now() where id = $1)
      insert into agent_versions (agent_id, version, definition, metadata) values ($1, $2, $3, $4)`,
    values: [id, version.version, version.definition, version.metadata],
  });
}

/** Records which skills the newest version of an agent uses. */
export async function storeAgentSkills(
  tx: Queryable,
  agentId: string,
  skills: AgentDefinition["skills"],
): Promise<void> {
  await tx.query({
    name: "clear_agent_skills",
    text: "delete from agent_skills where agent_id = $1",
    values: [agentId],
  });
  if (skills.length === 0) return;
  await tx.query({
    name: "insert_agent_skills",
    text: `
      insert into agent_skills (agent_id, skill_id, version)
      select $1, skill_id, version from unnest($2::uuid[], $3::integer[]) as skill (skill_id, version)`,
    values: [
      agentId,
      skills.map((skill) => parseId("skill", skill.skill_id)),
      skills.map((skill) => skill.version),
    ],
  });
}

/** Archives an agent. Does nothing if it is archived already. */
export async function archiveAgent(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_agent",
    text: "update agents set archived_at = now(), updated_at = now() where id = $1 and archived_at is null",
    values: [id],
  });
}

/** Deletes an agent with its versions. Returns false when a session was created with it. */
export async function deleteUnusedAgent(db: Queryable, id: string): Promise<boolean> {
  try {
    await db.query({ name: "delete_agent", text: "delete from agents where id = $1", values: [id] });
    return true;
  } catch (error) {
    if (isForeignKeyViolation(error, "sessions_agent_id_fkey")) return false;
    throw error;
  }
}

/** SQL expression for an agent's size in bytes, without the few bytes of its name and owner. */
export const AGENT_BYTES = "octet_length(definition::text)";

export const listAgents = ownedList<AgentRow>("agent", "agents", COLUMNS, { bytes: AGENT_BYTES });

/** Returns the agent as a session stores it, with `skills` in the versions that the session pins. */
export function agentSnapshot(row: AgentRow, skills = row.definition.skills): SessionAgent {
  const { name, ...definition } = row.definition;
  return { id: formatId("agent", row.id), type: "agent", name, ...definition, skills, version: row.version };
}

export function toAgent(row: AgentRow): Agent {
  return {
    ...agentSnapshot(row),
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
