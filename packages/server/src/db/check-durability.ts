import type { Queryable } from "./statement.ts";

/** The oldest PostgreSQL whose SQL Berth speaks. */
const OLDEST_MAJOR = 15;

/** Settings under which an acknowledged commit is on disk, with the values that promise it. */
const NEEDED = {
  fsync: ["on"],
  full_page_writes: ["on"],
  synchronous_commit: ["on", "remote_apply"],
} as const;

/**
 * Refuses a server that is too old, or that acknowledges a commit before it is safe on disk: events that clients were
 * told of would be lost with the next power cut. Asked of the session's own values, so that settings of a role or of a
 * database count too.
 *
 * @throws one sentence that names every fault.
 */
export async function checkDurability(database: Queryable): Promise<void> {
  const names = [...Object.keys(NEEDED), "server_version_num", "server_version"];
  const { rows } = await database.query<{ name: string; setting: string }>({
    text: "select name, current_setting(name) as setting from unnest($1::text[]) as name",
    values: [names],
  });
  const settings = new Map(rows.map((row) => [row.name, row.setting]));
  const faults = [...tooOld(settings), ...unsafe(settings)];
  if (faults.length > 0) throw new Error(`Berth does not use this PostgreSQL server: ${faults.join("; ")}.`);
}

function tooOld(settings: ReadonlyMap<string, string>): string[] {
  const major = Math.floor(Number(settings.get("server_version_num")) / 10_000);
  return major >= OLDEST_MAJOR
    ? []
    : [`it is version ${settings.get("server_version")}, and ${OLDEST_MAJOR} is the oldest that works`];
}

function unsafe(settings: ReadonlyMap<string, string>): string[] {
  return Object.entries(NEEDED)
    .filter(([name, values]) => !(values as readonly string[]).includes(settings.get(name) ?? ""))
    .map(([name]) => `${name} is ${settings.get(name)} and must be on, else acknowledged data can be lost`);
}
