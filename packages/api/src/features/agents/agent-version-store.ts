import { formatId } from "@berth/contract";
import { SHARED_COLUMNS } from "@berth/store/access";
import { assembled, condition, joined, type MeasuredRow, measured, type Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { AGENT_BYTES, type AgentRow } from "./agent-store.ts";

/** Range of versions: newest first, below `below`; null starts with the newest. */
interface VersionRange {
  below: number | null;
  rows: number;
  /** Bounds of the creation time in milliseconds: from `from` (inclusive) to `until` (exclusive). */
  from: number | null;
  until: number | null;
}

const columns = `id, ${SHARED_COLUMNS}, v.version, v.definition, v.metadata, archived_at,
  case v.version when agents.version then agents.updated_at else v.created_at end as updated_at`;

/**
 * Returns an agent as it was in one version. `param` names the field with the version.
 *
 * @throws errors.agentVersionNotFound
 */
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
): Promise<(AgentRow & MeasuredRow)[]> {
  const conditions = [
    condition("agent_id = ?", agentUuid),
    ...(below === null ? [] : [condition("v.version < ?::integer", below)]),
    ...(from === null ? [] : [condition("v.created_at >= ?::timestamptz", new Date(from))]),
    ...(until === null ? [] : [condition("v.created_at < ?::timestamptz", new Date(until))]),
  ];
  const select = condition(`select ${columns} from agent_versions v join agents on id = agent_id where`);
  const ordered = condition("order by v.version desc limit ?", limit);
  const page = joined([select, joined(conditions, " and "), ordered], " ");
  return (await db.query<AgentRow & MeasuredRow>(assembled([measured(page, AGENT_BYTES, "version desc")])))
    .rows;
}
