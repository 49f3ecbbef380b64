import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { orAborted, Semaphore } from "@berth/concurrency";
import { removeTree } from "@berth/linux";
import { RUNTIME_PROGRAMS_INSIDE } from "../inside/environment.ts";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxEngine } from "../interface/sandbox.ts";
import type { MountedDirectory } from "../interface/spec.ts";
import type { LayerFailure } from "../system/build-layer.ts";
import type { LayerRuntimes } from "../system/layer-plan.ts";
import { aptHosts } from "../system/package-plans.ts";
import { sweepLayers } from "../system/sweep-layers.ts";
import { makeRuntime } from "./make-runtime.ts";
import {
  linkPrograms,
  type MissingRuntime,
  makeDirectory,
  RUNTIMES_INSIDE,
  runtimeVariables,
  writeProgramLinks,
} from "./program-links.ts";
import { type RuntimeRelease, treeName } from "./runtime-release.ts";
import { runtimeScript } from "./runtime-script.ts";

const DAY_MS = 86_400_000;
/** Each build may use two cores and 3 GiB of memory. */
const BUILDS = 2;

export interface RuntimeRequest {
  releases: readonly (RuntimeRelease & { /** Name and version in sentences. */ title: string })[];
  /** Root filesystem of the session's sandbox; null for the engine's own. */
  rootFilesystem: string | null;
  /** Runtimes of the session that cannot be made. Their programs say so. */
  absent?: readonly MissingRuntime[];
  /** Ends the wait of this request. The builds continue for others. */
  signal: AbortSignal;
}

/** The runtimes of one sandbox. */
export interface PreparedRuntimes extends LayerRuntimes {
  missing: readonly MissingRuntime[];
  /** Allows the trees to be evicted; call it once the sandbox has closed. A second call has no effect. */
  release(): void;
}

/** The place for the runtimes of a sandbox that gets them while it is open. */
export interface LaterRuntimes {
  /** See `SandboxSpec.directories`. */
  directories: readonly MountedDirectory[];
  /** Shows the sandbox the programs of prepared runtimes. Call it once. */
  give(prepared: Pick<PreparedRuntimes, "trees" | "missing">): Promise<void>;
  /** Removes the directory of the programs; call it once the sandbox has closed. */
  remove(): Promise<void>;
}

export interface RuntimeStoreOptions {
  /** Host directory, created when missing. Only one process at a time may use it. */
  directory: string;
  engine: SandboxEngine;
  /** Milliseconds after which an unused tree is evicted. Default: 30 days. */
  unusedMs?: number;
  /** Bytes of all trees above which the least recently used are evicted. Default: 20 GiB. */
  maxBytes?: number;
  log: (line: string) => void;
}

/**
 * The runtimes of this machine: one directory tree for each version, shared by all sandboxes of all
 * organizations, since their contents come from the operator's sources and never from a session.
 *
 * Requests for the same tree share one build. A tree without users is evicted when it was unused for long, or
 * when all take too much space.
 */
export class RuntimeStore {
  readonly #options: Required<RuntimeStoreOptions>;
  readonly #closing = new AbortController();
  readonly #slots = new Semaphore(BUILDS);
  /** Running builds, by name of the tree. */
  readonly #builds = new Map<string, Promise<LayerFailure | null>>();
  /** Number of open sandboxes that use a tree. */
  readonly #uses = new Map<string, number>();

  /** Opens the store, and removes the links to programs that a former process made. */
  static async open(options: RuntimeStoreOptions): Promise<RuntimeStore> {
    const { directory } = options;
    for (const path of [directory, join(directory, "trees")]) {
      await mkdir(path, { recursive: true, mode: 0o711 });
      await chmod(path, 0o711);
    }
    const left = (await readdir(directory)).filter((name) => name !== "trees");
    for (const name of left) await removeTree(join(directory, name));
    return new RuntimeStore({ unusedMs: 30 * DAY_MS, maxBytes: 20 * 1024 ** 3, ...options });
  }

  private constructor(options: Required<RuntimeStoreOptions>) {
    this.#options = options;
  }

  /**
   * Returns the runtimes of a sandbox that is about to open, and makes missing ones. Rejects with the
   * signal's reason, or with `SandboxError` once the store is closed.
   */
  async prepare({
    releases,
    rootFilesystem,
    absent = [],
    signal,
  }: RuntimeRequest): Promise<PreparedRuntimes> {
    const { directory } = this.#options;
    const system = rootFilesystem === null ? "" : basename(rootFilesystem);
    const names = releases.map((release) => treeName(release, system));
    // Counted as used before the lookup, so that a concurrent sweep does not delete it.
    for (const name of names) this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    const release = () => {
      for (const name of names.splice(0)) this.#uses.set(name, (this.#uses.get(name) ?? 1) - 1);
    };
    try {
      const builds = releases.map((one, index) => this.#buildOnce(names[index] ?? "", one, rootFilesystem));
      const failures = await orAborted(Promise.all(builds), signal);
      const trees = names.filter((_, index) => failures[index] === null);
      const failed = releases.flatMap(({ runtime, title }, index) => {
        const failure = failures[index];
        return failure == null ? [] : [{ runtime, title, why: clause(failure.why) }];
      });
      const missing = [...absent, ...failed];
      const programs = await writeProgramLinks(directory, join(directory, "trees"), trees, missing);
      const directories = [
        { source: join(directory, "trees"), target: RUNTIMES_INSIDE },
        { source: programs, target: RUNTIME_PROGRAMS_INSIDE },
      ];
      return { directories, trees, missing, variables: runtimeVariables(trees), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Returns the mounts of a sandbox that is about to open, and gets its runtimes only later, while it is open:
   * all trees, and a directory without programs.
   */
  async prepareLater(): Promise<LaterRuntimes> {
    const store = join(this.#options.directory, "trees");
    const programs = await makeDirectory(join(this.#options.directory, "later"));
    const directories = [
      { source: store, target: RUNTIMES_INSIDE },
      { source: programs, target: RUNTIME_PROGRAMS_INSIDE },
    ];
    return {
      directories,
      give: ({ trees, missing }) => linkPrograms(programs, store, trees, missing),
      remove: () => removeTree(programs),
    };
  }

  /** Evicts trees, and deletes unfinished builds of dead processes. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { directory, unusedMs, maxBytes } = this.#options;
    const isBuilding = (name: string) => this.#builds.has(name);
    const isUsed = (name: string) => (this.#uses.get(name) ?? 0) > 0;
    const limits = { directory: join(directory, "trees"), unusedMs, maxBytes };
    await sweepLayers({ ...limits, isBuilding, isUsed }, signal);
  }

  /** Aborts all builds and waits until they have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#builds.values());
  }

  #buildOnce(
    name: string,
    release: RuntimeRelease,
    rootFilesystem: string | null,
  ): Promise<LayerFailure | null> {
    const build =
      this.#builds.get(name) ??
      this.#buildUnlessThere(name, release, rootFilesystem).finally(() => this.#builds.delete(name));
    this.#builds.set(name, build);
    build.catch(() => {});
    return build;
  }

  async #buildUnlessThere(
    name: string,
    release: RuntimeRelease,
    rootFilesystem: string | null,
  ): Promise<LayerFailure | null> {
    const { directory, engine, log } = this.#options;
    const path = join(directory, "trees", name);
    if (existsSync(path)) {
      await utimes(path, new Date(), new Date());
      return null;
    }
    return await this.#slots.run(async () => {
      const { signal } = this.#closing;
      if (signal.aborted) throw new SandboxError("no more runtimes are made");
      log(`making a runtime: ${name}`);
      const script = runtimeScript(release, await aptHosts(rootFilesystem ?? ""));
      const failure = await makeRuntime(engine, { ...script, path, rootFilesystem, signal }).catch(
        (error: Error) => this.#hostFailure(error),
      );
      if (signal.aborted) throw new SandboxError("no more runtimes are made");
      const outcome = failure === null ? "is ready" : `could not be made: ${failure.why} ${failure.output}`;
      log(`the runtime ${name} ${outcome}`);
      return failure;
    });
  }

  #hostFailure(error: Error): LayerFailure {
    this.#options.log(`a runtime could not be made: ${error} ${error.cause ?? ""}`);
    return { why: "this machine could not make it", output: "" };
  }
}

/** Returns text without the full stop at its end. */
function clause(text: string): string {
  return text.replace(/[.\s]+$/, "");
}
