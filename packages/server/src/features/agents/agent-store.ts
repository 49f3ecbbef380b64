import { type Agent, formatId, type SessionAgent, uuidTimestamp } from "@berth/contract";
import { type KeysetPlace, selectReached } from "../../db/keyset.ts";
import type { Queryable } from "../../db/statement.ts";
import type { Owner, Principal } from "../../http/principal.ts";

/** What an agent is in one version, resolved; the row of the agent has the rest. */
export type AgentDefinition = Omit<SessionAgent, "id" | "type" | "version">;

export interface AgentRow extends Owner {
  id: string;
  version: number;
  definition: AgentDefinition;
  metadata: Record<string, string>;
  archived_at: Date | null;
  updated_at: Date;
}

const columns = `id, organization_id, owner_type, owner_id, version, metadata, archived_at, updated_at,
  (select definition from agent_versions v where v.agent_id = agents.id and v.version = agents.version) as definition`;

/** Stores an agent and its first version. */
export async function insertAgent(
  db: Queryable,
  agent: Owner & Pick<AgentRow, "id" | "definition" | "metadata">,
): Promise<AgentRow> {
  const createdAt = uuidTimestamp(agent.id);
  await db.query({
    name: "insert_agent",
    text: `
      with agent as (
        insert into agents (id, organization_id, owner_type, owner_id, version, metadata, updated_at)
        values ($1, $2, $3, $4, 1, $5, $7)
      )
      insert into agent_versions (agent_id, version, definition, created_at) values ($1, 1, $6, $7)`,
    values: [
      agent.id,
      agent.organization_id,
      agent.owner_type,
      agent.owner_id,
      agent.metadata,
      agent.definition,
      createdAt,
    ],
  });
  return { ...agent, version: 1, archived_at: null, updated_at: new Date(createdAt) };
}

/** The newest version of an agent. */
export async function getAgent(db: Queryable, id: string): Promise<AgentRow | null> {
  const text = `select ${columns} from agents where id = $1`;
  return (await db.query<AgentRow>({ name: "get_agent", text, values: [id] })).rows[0] ?? null;
}

export async function listAgents(
  db: Queryable,
  principal: Principal,
  place: KeysetPlace,
  filters: { archived: boolean },
): Promise<AgentRow[]> {
  const conditions = filters.archived ? [] : [{ text: "archived_at is null", values: [] }];
  return await selectReached<AgentRow>(db, principal, place, { table: "agents", columns, conditions });
}

/** The agent as a session keeps it. */
export function agentSnapshot(row: AgentRow): SessionAgent {
  const { name, ...definition } = row.definition;
  return { id: formatId("agent", row.id), type: "agent", name, ...definition, version: row.version };
}

/** The agent as the API answers it. */
export function agentAnswer(row: AgentRow): Agent {
  return {
    ...agentSnapshot(row),
    metadata: row.metadata,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
