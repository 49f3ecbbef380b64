import type { Queryable } from "../../db/statement.ts";
import type { AgentRow } from "./agent-store.ts";

/** Which versions are wanted: newest first, those below `below`. */
export interface VersionPlace {
  below: number | null;
  rows: number;
  /** The first millisecond in which they may have been made. */
  from: number | null;
  /** The first in which they may not any more. */
  until: number | null;
}

const columns = `id, organization_id, owner_type, owner_id, v.version, v.definition, v.metadata, archived_at,
  case v.version when agents.version then agents.updated_at else v.created_at end as updated_at`;

/** An agent as it was in one of its versions. */
export async function getVersion(db: Queryable, agentId: string, version: number): Promise<AgentRow | null> {
  const { rows } = await db.query<AgentRow>({
    name: "get_agent_version",
    text: `select ${columns} from agents join agent_versions v on agent_id = id
      where id = $1 and v.version = $2::bigint`,
    values: [agentId, version],
  });
  return rows[0] ?? null;
}

export async function listVersions(
  db: Queryable,
  agentId: string,
  { below, rows: limit, from, until }: VersionPlace,
): Promise<AgentRow[]> {
  const { rows } = await db.query<AgentRow>({
    name: "list_agent_versions",
    text: `select ${columns} from agents join agent_versions v on agent_id = id
      where id = $1 and ($2::integer is null or v.version < $2)
        and ($4::timestamptz is null or v.created_at >= $4) and ($5::timestamptz is null or v.created_at < $5)
      order by v.version desc limit $3`,
    values: [
      agentId,
      below,
      limit,
      from === null ? null : new Date(from),
      until === null ? null : new Date(until),
    ],
  });
  return rows;
}
