import type { Queryable } from "./statement.ts";

/** The oldest PostgreSQL version that Berth supports. */
const MIN_MAJOR = 15;

/** The settings that make an acknowledged commit durable, and the values that guarantee it. */
const REQUIRED_SETTINGS = {
  fsync: ["on"],
  full_page_writes: ["on"],
  synchronous_commit: ["on", "remote_apply"],
} as const;

/**
 * Rejects a server that is too old, or that acknowledges a commit before it is on disk. On such a server, a
 * power failure could lose events that clients have already seen. It reads the values of its own connection,
 * so settings of a role or a database count.
 * @throws an error of one sentence that lists every problem.
 */
export async function checkDurability(database: Queryable): Promise<void> {
  const names = [...Object.keys(REQUIRED_SETTINGS), "server_version_num", "server_version"];
  const { rows } = await database.query<{ name: string; setting: string }>({
    text: "select name, current_setting(name) as setting from unnest($1::text[]) as name",
    values: [names],
  });
  const settings = new Map(rows.map((row) => [row.name, row.setting]));
  const faults = [...tooOld(settings), ...unsafe(settings)];
  if (faults.length > 0) throw new Error(`Berth cannot use this PostgreSQL server: ${faults.join("; ")}.`);
}

function tooOld(settings: ReadonlyMap<string, string>): string[] {
  const major = Math.floor(Number(settings.get("server_version_num")) / 10_000);
  return major >= MIN_MAJOR
    ? []
    : [`it is version ${settings.get("server_version")}, and version ${MIN_MAJOR} or later is required`];
}

function unsafe(settings: ReadonlyMap<string, string>): string[] {
  return Object.entries(REQUIRED_SETTINGS)
    .filter(([name, values]) => !(values as readonly string[]).includes(settings.get(name) ?? ""))
    .map(([name]) => `${name} is ${settings.get(name)} and must be on, else acknowledged data can be lost`);
}
