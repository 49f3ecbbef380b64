import type { RuntimeName } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import { type NpmVersion, npmVersions } from "./npm-packages.ts";
import type { Archive, Release } from "./release.ts";
import type { NpmSource, RuntimeSource } from "./source-schema.ts";
import { compareVersions, isOfLine } from "./versions.ts";

const ARCHITECTURES = ["x64", "arm64"] as const;

export interface ListDeps {
  fetch: GuardedFetch;
  /** https URL of the npm registry. */
  npmRegistry: string;
  signal: AbortSignal;
}

/**
 * Returns the releases that the sources of a runtime have. Of two with one version, that of the first source
 * counts.
 *
 * @throws Error with a clause when a source does not answer.
 */
export async function listReleases(
  deps: ListDeps,
  runtime: RuntimeName,
  sources: readonly RuntimeSource[],
): Promise<Release[]> {
  const lists = await Promise.all(sources.map((source) => releasesOf(deps, runtime, source)));
  const releases = new Map<string, Release>();
  for (const release of lists.flat()) {
    const key = `${release.version} ${release.architecture}`;
    if (!releases.has(key)) releases.set(key, release);
  }
  return [...releases.values()];
}

async function releasesOf(deps: ListDeps, runtime: RuntimeName, source: RuntimeSource): Promise<Release[]> {
  if (source.from === "npm") return await npmReleases(deps, runtime, source);
  const { from } = source;
  if (from === "base") {
    const { version, programs } = source;
    return forBoth({ runtime, version, source: from, contents: { from, programs } });
  }
  if (from === "debian")
    return Object.entries(source.packages).flatMap(([version, packages]) =>
      forBoth({ runtime, version, source: from, contents: { from, suite: source.suite, packages } }),
    );
  return Object.entries(source.versions).flatMap(([version, archives]) =>
    Object.entries(archives).map(([architecture, { url, sha256, strip, programs, hosts }]) => {
      const into = Object.keys(programs).length === 0 ? "" : `lib/${runtime}`;
      const archive = { url: new URL(url).href, digest: `sha256-${sha256}`, into, strip, programs };
      const contents = { from: "archives" as const, archives: [archive], hosts };
      return { runtime, version, architecture, source: from, contents };
    }),
  );
}

function forBoth(release: Omit<Release, "architecture">): Release[] {
  return ARCHITECTURES.map((architecture) => ({ ...release, architecture }));
}

async function npmReleases(deps: ListDeps, runtime: RuntimeName, source: NpmSource): Promise<Release[]> {
  const { fetch, npmRegistry, signal } = deps;
  const { least = "0", below, programs } = source;
  const read = (name: string) => npmVersions(fetch, npmRegistry, name, signal);
  const companions = await Promise.all(
    source.with.map(async (one) => ({ ...one, all: await read(one.package) })),
  );
  const companionsOf = (version: string) =>
    companions.flatMap(({ package: name, versions, all, programs: own }) => {
      const line = lineFor(versions, version);
      const found = all.find((one) => line !== null && isOfLine(one.version, line));
      return found === undefined ? [] : [archiveOf(found, `lib/node_modules/${name}`, own)];
    });
  const named = packagesOf(source);
  const lists = await Promise.all(
    Object.entries(Object.groupBy(named, ({ name }) => name)).map(async ([name, uses = []]) => {
      const all = (await read(name)).filter(
        ({ version }) =>
          compareVersions(version, least) >= 0 &&
          (below === undefined || compareVersions(version, below) < 0),
      );
      return all.flatMap((found) => {
        const into = Object.keys(programs).length === 0 ? "" : `lib/${runtime}`;
        const archives = [archiveOf(found, into, programs), ...companionsOf(found.version)];
        const contents = { from: "archives" as const, archives, hosts: [] };
        return uses.map(({ architecture }) => ({
          ...{ runtime, version: found.version, architecture, source: "npm", contents },
        }));
      });
    }),
  );
  return lists.flat();
}

function packagesOf({ package: named }: NpmSource): { architecture: string; name: string }[] {
  if (typeof named === "string") return ARCHITECTURES.map((architecture) => ({ architecture, name: named }));
  return Object.entries(named).map(([architecture, name]) => ({ architecture, name }));
}

function archiveOf({ url, digest }: NpmVersion, into: string, programs: Archive["programs"]): Archive {
  return { url, digest, into, strip: 1, programs };
}

/** Returns the line of a companion for a version: that of the greatest number which is not above its first. */
function lineFor(lines: Readonly<Record<string, string>>, version: string): string | null {
  const first = Number(version.split(".")[0]);
  const from = Object.keys(lines)
    .map(Number)
    .filter((number) => number <= first);
  return from.length === 0 ? null : (lines[Math.max(...from)] ?? null);
}
