import { setTimeout as pause } from "node:timers/promises";
import { orAborted } from "@berth/concurrency";
import {
  buildRootFilesystem,
  PUBLIC_SOURCES,
  type RootFilesystemSources,
  sweepRootFilesystems,
  useRootFilesystem,
} from "./build-root-filesystem.ts";
import { missingForBuilding, missingForMounting } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, type Recipe, recipeKey } from "./recipe.ts";

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;

/** What an attempt to get the root filesystem has come to. */
export type SettledRootFilesystem =
  | { kind: "ready"; path: string }
  /** The last build failed. `why` is a clause; the next begins at `retryAt`, in milliseconds since 1970. */
  | { kind: "failed"; why: string; retryAt: number }
  /** This machine can never have one. `why` is a clause. */
  | { kind: "unavailable"; why: string };

export type RootFilesystemState = SettledRootFilesystem | { kind: "building" };

export interface RootFilesystemOptions {
  /** Host directory of root filesystems, created with mode 0700 when missing. */
  directory: string;
  /** Minutes for which a root filesystem of another recipe stays after its last use. Default: 0. */
  unusedMinutes?: number;
  recipe?: Recipe;
  sources?: RootFilesystemSources;
  log: (line: string) => void;
}

/**
 * The root filesystem of this installation's sandboxes.
 *
 * Lifecycle: it is `ready` at once when it was built before; otherwise it is built in the background. A failed
 * build is repeated after a pause, which grows each time. Once `ready` it stays so, and no other service
 * removes it until this one is closed. On a machine that cannot have one it is `unavailable` for good.
 */
export class RootFilesystem {
  readonly #options: Required<RootFilesystemOptions>;
  readonly #closing = new AbortController();
  readonly #path: string;
  #state: RootFilesystemState = { kind: "building" };
  /** Outcome of the current attempt; each attempt replaces it. */
  #settled = Promise.withResolvers<SettledRootFilesystem>();
  readonly #running: Promise<void>;
  #release: (() => void) | null = null;

  /** Starts a build if none exists and this machine can build one. Never throws. */
  static open(options: RootFilesystemOptions): RootFilesystem {
    return new RootFilesystem({
      recipe: DEBIAN_RECIPE,
      sources: PUBLIC_SOURCES,
      unusedMinutes: 0,
      ...options,
    });
  }

  private constructor(options: Required<RootFilesystemOptions>) {
    this.#options = options;
    this.#path = `${options.directory}/${recipeKey(options.recipe)}`;
    this.#running = this.#getReady().catch((error: unknown) =>
      this.#unavailable(`the directory of systems cannot be used (${error})`),
    );
  }

  state(): RootFilesystemState {
    return this.#state;
  }

  /**
   * Resolves with the outcome of the attempt that is under way, or of the last one. Rejects with the signal's
   * reason when it aborts.
   */
  settled(signal: AbortSignal): Promise<SettledRootFilesystem> {
    return orAborted(this.#settled.promise, signal);
  }

  /** Aborts the build and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#settled.resolve({ kind: "failed", why: "the service is stopping", retryAt: Date.now() });
    this.#release?.();
  }

  async #getReady(): Promise<void> {
    const { directory } = this.#options;
    const missing = await missingForMounting(directory);
    if (missing !== null) return this.#unavailable(missing);
    if (this.#use()) return await this.#sweep();
    await this.#sweep();
    const missingTool = missingForBuilding();
    if (missingTool !== null) return this.#unavailable(missingTool);
    await this.#buildUntilReady();
  }

  async #buildUntilReady(): Promise<void> {
    const { signal } = this.#closing;
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 8, MAX_PAUSE_MS)) {
      if (await this.#build(wait)) return;
      await pause(wait, undefined, { signal, ref: false }).catch(() => {});
      this.#settled = Promise.withResolvers();
      this.#state = { kind: "building" };
    }
  }

  /** @param wait Milliseconds until the next attempt, if this one fails. */
  async #build(wait: number): Promise<boolean> {
    const { directory, recipe, sources, log } = this.#options;
    const { signal } = this.#closing;
    log("building the root filesystem of sandboxes; sessions wait for it");
    try {
      await buildRootFilesystem(directory, recipe, signal, sources);
      if (!this.#use()) throw new Error("the root filesystem was removed while it was built");
      log("the root filesystem of sandboxes is ready");
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const why = (error as Error).message.replaceAll(`${directory}/`, "");
      this.#settle({ kind: "failed", why, retryAt: Date.now() + wait });
      log(`${why}; the next try is in ${wait / 1_000} s`);
      return false;
    }
  }

  /** Marks the root filesystem as in use if there is one, and then is ready. */
  #use(): boolean {
    this.#release = useRootFilesystem(this.#path);
    if (this.#release === null) return false;
    this.#settle({ kind: "ready", path: this.#path });
    return true;
  }

  async #sweep(): Promise<void> {
    const { directory, recipe, unusedMinutes, log } = this.#options;
    await sweepRootFilesystems({ directory, keep: recipeKey(recipe), unusedMinutes }).catch((error) =>
      log(`former root filesystems could not be removed: ${error}`),
    );
  }

  #unavailable(why: string): void {
    this.#settle({ kind: "unavailable", why });
    this.#options.log(`${why}; sandboxes use the host's /usr`);
  }

  #settle(state: SettledRootFilesystem): void {
    this.#state = state;
    this.#settled.resolve(state);
  }
}
