import { createHash } from "node:crypto";
import { type AskedRuntimes, type ResolvedRuntime, RUNTIMES, type RuntimeName } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { DatabaseAccess } from "../db/database-access.ts";
import { errors } from "../errors/catalogue.ts";
import { listReleases } from "./list-releases.ts";
import { listedReleases, type RuntimeList, readLists, storeList } from "./release-store.ts";
import type { RuntimeSources } from "./source-schema.ts";
import { compareVersions, matchVersion, newestOfLines } from "./versions.ts";

const LIST_TIMEOUT_MS = 10_000;
/** Number of versions that an error names. */
const NAMED = 12;
const NPM_REGISTRY = "https://registry.npmjs.org";

/** Names of runtimes in sentences. */
export const RUNTIME_TITLES: Readonly<Record<RuntimeName, string>> = {
  node: "Node.js",
  python: "Python",
  go: "Go",
  rust: "Rust",
  java: "Java",
  bun: "Bun",
  deno: "Deno",
  pnpm: "pnpm",
  yarn: "Yarn",
  uv: "uv",
};

export interface CatalogueDeps {
  /** Connections of their own, since lists are stored whatever becomes of the request that needed them. */
  db: DatabaseAccess;
  sources: RuntimeSources;
  fetch: GuardedFetch;
  /** https URL; null for the public registry. */
  npmRegistry: string | null;
  log: { warn(fields: object, message: string): void };
}

/** The versions of one runtime, newest first. */
export interface ListedRuntime {
  runtime: RuntimeName;
  versions: { version: string; source: string }[];
  /** Null when the sources have never answered. */
  listedAt: Date | null;
}

/**
 * The versions of runtimes that this installation can have.
 *
 * Lists are kept in the database. One that is needed and older than a day, or of other sources, is made
 * again first; if the sources do not answer, the last one counts.
 */
export class RuntimeCatalogue {
  readonly #deps: CatalogueDeps;
  /** Digest of each runtime's sources. */
  readonly #digests: Readonly<Record<RuntimeName, string>>;
  /** Lists that are being made. */
  readonly #making = new Map<RuntimeName, Promise<void>>();

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
    const digest = (name: RuntimeName) =>
      createHash("sha256")
        .update(JSON.stringify([deps.npmRegistry, deps.sources[name]]))
        .digest("hex");
    this.#digests = Object.fromEntries(RUNTIMES.map((name) => [name, digest(name)])) as Record<
      RuntimeName,
      string
    >;
  }

  /** Returns all runtimes in the order of the API. Never throws for a source. */
  async list(): Promise<ListedRuntime[]> {
    const faults = await this.#refresh(RUNTIMES);
    const lists = await this.#read();
    return RUNTIMES.map((name) => {
      const { listedAt = null } = lists.known.get(name) ?? {};
      return { runtime: name, versions: faults.has(name) ? [] : lists.versionsOf(name), listedAt };
    });
  }

  /**
   * Returns the versions that a request means.
   *
   * @param param Path of the field with the versions, such as `config.runtimes`.
   * @throws errors.runtimeMissing, errors.runtimesNotListed
   */
  async resolve(asked: AskedRuntimes, param: string): Promise<ResolvedRuntime[]> {
    const names = RUNTIMES.filter((name) => asked[name] !== undefined);
    if (names.length === 0) return [];
    const faults = await this.#refresh(names);
    const lists = await this.#read();
    return names.map((runtime) => {
      const requested = asked[runtime] ?? "";
      const fault = faults.get(runtime);
      if (fault !== undefined) throw errors.runtimesNotListed(RUNTIME_TITLES[runtime], fault);
      const listed = lists.versionsOf(runtime);
      const versions = listed.map(({ version }) => version);
      const version = matchVersion(requested, versions);
      const found = listed.find((one) => one.version === version);
      if (found === undefined) {
        const available = newestOfLines(runtime, versions, NAMED);
        throw errors.runtimeMissing(`${param}.${runtime}`, requested, available);
      }
      return { runtime, requested, ...found };
    });
  }

  /** Returns the versions of these runtimes, newest first. Those of a runtime that cannot be listed are none. */
  async versions(names: readonly RuntimeName[]): Promise<Map<RuntimeName, string[]>> {
    if (names.length === 0) return new Map();
    const faults = await this.#refresh(names);
    const lists = await this.#read();
    const of = (name: RuntimeName) => (faults.has(name) ? [] : lists.versionsOf(name));
    return new Map(names.map((name) => [name, of(name).map(({ version }) => version)]));
  }

  /** Makes old lists again. Returns why, for the runtimes of which there is none at all. */
  async #refresh(names: readonly RuntimeName[]): Promise<Map<RuntimeName, string>> {
    const known = await readLists(this.#deps.db.write, this.#digests);
    const faults = new Map<RuntimeName, string>();
    await Promise.all(
      names
        .filter((name) => known.get(name)?.isOld ?? true)
        .map((name) =>
          this.#makeOnce(name).catch((error: Error) => {
            this.#deps.log.warn(
              { err: error, runtime: name },
              "the versions of a runtime could not be listed",
            );
            if (!known.has(name)) faults.set(name, error.message);
          }),
        ),
    );
    return faults;
  }

  #makeOnce(name: RuntimeName): Promise<void> {
    const making = this.#making.get(name) ?? this.#make(name).finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }

  async #make(name: RuntimeName): Promise<void> {
    const { db, fetch, npmRegistry, sources } = this.#deps;
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const deps = { fetch, npmRegistry: npmRegistry ?? NPM_REGISTRY, signal };
    await storeList(db, name, this.#digests[name], await listReleases(deps, name, sources[name]));
  }

  async #read(): Promise<{
    known: Map<RuntimeName, RuntimeList>;
    versionsOf(name: RuntimeName): { version: string; source: string }[];
  }> {
    const { write } = this.#deps.db;
    const known = await readLists(write, this.#digests);
    const releases = await listedReleases(write, process.arch);
    const versionsOf = (name: RuntimeName) =>
      releases
        .filter(({ runtime }) => runtime === name)
        .map(({ version, source }) => ({ version, source }))
        .toSorted((one, other) => compareVersions(other.version, one.version));
    return { known, versionsOf };
  }
}
