import { formatId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../errors/catalogue.ts";
import type { AgentRow } from "./agent-store.ts";

/** Which versions to read: newest first, those below `below`. */
interface VersionRange {
  below: number | null;
  rows: number;
  /** Bounds of their creation in milliseconds: from `from`, up to but without `until`. */
  from: number | null;
  until: number | null;
}

const columns = `id, organization_id, owner_type, owner_id, v.version, v.definition, v.metadata, archived_at,
  case v.version when agents.version then agents.updated_at else v.created_at end as updated_at`;

/** An agent as it was in one of its versions. `param` names the field with the version. @throws errors.agentVersionNotFound */
export async function requireAgentVersion(
  db: Queryable,
  agentUuid: string,
  version: number,
  param: string,
): Promise<AgentRow> {
  const { rows } = await db.query<AgentRow>({
    name: "get_agent_version",
    text: `select ${columns} from agents join agent_versions v on agent_id = id
      where id = $1 and v.version = $2::bigint`,
    values: [agentUuid, version],
  });
  if (rows[0] !== undefined) return rows[0];
  throw errors.agentVersionNotFound(formatId("agent", agentUuid), version, param);
}

export async function selectVersions(
  db: Queryable,
  agentUuid: string,
  { below, rows: limit, from, until }: VersionRange,
): Promise<AgentRow[]> {
  const { rows } = await db.query<AgentRow>({
    name: "list_agent_versions",
    text: `select ${columns} from agents join agent_versions v on agent_id = id
      where id = $1 and ($2::integer is null or v.version < $2)
        and ($4::timestamptz is null or v.created_at >= $4) and ($5::timestamptz is null or v.created_at < $5)
      order by v.version desc limit $3`,
    values: [
      agentUuid,
      below,
      limit,
      from === null ? null : new Date(from),
      until === null ? null : new Date(until),
    ],
  });
  return rows;
}
