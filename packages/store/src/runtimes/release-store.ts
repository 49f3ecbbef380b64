import type { ResolvedRuntime, RuntimeName } from "@berth/contract";
import type { DatabaseAccess } from "../db/database-access.ts";
import type { Queryable } from "../db/statement.ts";
import type { Release } from "./release.ts";

/** What is stored of a runtime's last list. */
export interface RuntimeList {
  listedAt: Date;
  /** Whether it is older than a day, or of other sources. */
  isOld: boolean;
}

/** Milliseconds after which a list is made again. */
const DAY_MS = 86_400_000;

/** Returns the last lists, by runtime. @param sources Digest of each runtime's present sources. */
export async function readLists(
  db: Queryable,
  sources: Readonly<Record<RuntimeName, string>>,
): Promise<Map<RuntimeName, RuntimeList>> {
  type Row = { runtime: RuntimeName; sources: string; listed_at: Date; age: number };
  const { rows } = await db.query<Row>({
    name: "runtime_lists",
    text: "select runtime, sources, listed_at, extract(epoch from now() - listed_at)::float8 as age from runtime_lists",
  });
  return new Map(
    rows.map(({ runtime, sources: former, listed_at: listedAt, age }) => [
      runtime,
      { listedAt, isOld: former !== sources[runtime] || age * 1_000 > DAY_MS },
    ]),
  );
}

/** Stores a new list of a runtime. Releases that it lacks stay, for environments that have them. */
export async function storeList(
  db: DatabaseAccess,
  runtime: RuntimeName,
  sources: string,
  releases: readonly Release[],
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query({
      name: "store_runtime_list",
      text: `insert into runtime_lists (runtime, sources, listed_at) values ($1, $2, now())
        on conflict (runtime) do update set sources = excluded.sources, listed_at = excluded.listed_at`,
      values: [runtime, sources],
    });
    const rows = releases.map(({ version, architecture, source, contents }) => ({
      ...{ version, architecture, source, contents },
    }));
    await tx.query({
      name: "store_runtime_releases",
      text: `insert into runtime_releases (runtime, version, architecture, source, contents, listed_at)
        select $1, version, architecture, source, contents, now()
        from jsonb_to_recordset($2) as given (version text, architecture text, source text, contents jsonb)
        on conflict (runtime, version, architecture)
        do update set source = excluded.source, contents = excluded.contents, listed_at = excluded.listed_at`,
      values: [runtime, JSON.stringify(rows)],
    });
  });
}

/** Returns the releases of the last lists for a CPU architecture, without their contents, in no order. */
export async function listedReleases(
  db: Queryable,
  architecture: string,
): Promise<Omit<Release, "architecture" | "contents">[]> {
  const { rows } = await db.query<Omit<Release, "architecture" | "contents">>({
    name: "listed_runtime_releases",
    text: `select runtime, version, source from runtime_releases
      join runtime_lists using (runtime, listed_at) where architecture = $1`,
    values: [architecture],
  });
  return rows;
}

/** Returns the releases of an environment for a CPU architecture, in their order. Unknown ones are left out. */
export async function releasesOf(
  db: Queryable,
  resolved: readonly Pick<ResolvedRuntime, "runtime" | "version">[],
  architecture: string,
): Promise<Release[]> {
  const { rows } = await db.query<Release>({
    name: "runtime_releases_of",
    text: `select runtime, version, architecture, source, contents from runtime_releases
      join unnest($1::text[], $2::text[]) as chosen (runtime, version) using (runtime, version)
      where architecture = $3`,
    values: [resolved.map(({ runtime }) => runtime), resolved.map(({ version }) => version), architecture],
  });
  return resolved.flatMap(
    ({ runtime, version }) => rows.find((row) => row.runtime === runtime && row.version === version) ?? [],
  );
}
