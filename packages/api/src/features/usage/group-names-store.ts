import type { UsageGrouping } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

const NAMES: Readonly<Partial<Record<UsageGrouping, string>>> = {
  agent: `select id, definition ->> 'name' as name
    from agents join agent_versions on agent_id = id and agent_versions.version = agents.version
    where id = any($1::uuid[])`,
  environment: "select id, name from environments where id = any($1::uuid[])",
  user: `select id, email as name from users where id = any($1::uuid[])
    union all select id, name from organizations where id = any($1::uuid[])`,
};

/** Reads the names of groups by their keys, which are uuids. Groups without a name are left out. */
export async function readGroupNames(
  db: Queryable,
  group: UsageGrouping,
  keys: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const text = NAMES[group];
  if (text === undefined) return new Map();
  const { rows } = await db.query<{ id: string; name: string }>({
    name: `names_of_${group}s`,
    text,
    values: [keys.filter((key) => key !== null)],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
