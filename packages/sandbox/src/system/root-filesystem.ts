import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { orAborted } from "@berth/concurrency";
import { buildRootFilesystem, sweepRootFilesystems } from "./build-root-filesystem.ts";
import { missingForRootFilesystem } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, type Recipe, recipeKey } from "./recipe.ts";

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;

export type RootFilesystemState =
  | { kind: "ready"; path: string }
  | { kind: "building" }
  /** The last build failed and is repeated later, or this machine cannot build one. `why` is a clause. */
  | { kind: "absent"; why: string };

export interface RootFilesystemOptions {
  /** Host directory of root filesystems, created with mode 0700 when missing. */
  directory: string;
  recipe?: Recipe;
  log: (line: string) => void;
}

/**
 * The root filesystem of this installation's sandboxes.
 *
 * Lifecycle: it is `ready` when an earlier process has built it; otherwise it is built in the background. A
 * failed build is repeated after a pause, which grows each time. Once `ready`, it stays so.
 */
export class RootFilesystem {
  readonly #options: Required<RootFilesystemOptions>;
  readonly #closing = new AbortController();
  readonly #path: string;
  #state: RootFilesystemState;
  /** Outcome of the current attempt; each attempt replaces it. */
  #settled = Promise.withResolvers<string | null>();
  readonly #running: Promise<void>;

  /** Starts a build if none exists and this machine can build one. Never throws. */
  static open(options: RootFilesystemOptions): RootFilesystem {
    return new RootFilesystem({ recipe: DEBIAN_RECIPE, ...options });
  }

  private constructor(options: Required<RootFilesystemOptions>) {
    this.#options = options;
    this.#path = `${options.directory}/${recipeKey(options.recipe)}`;
    this.#state = existsSync(this.#path) ? { kind: "ready", path: this.#path } : { kind: "building" };
    this.#running = this.#buildUntilReady().catch(() => {});
  }

  state(): RootFilesystemState {
    return this.#state;
  }

  /**
   * Returns its path once it is ready, or null once an attempt has failed. Rejects with the signal's reason
   * when it aborts.
   */
  settled(signal: AbortSignal): Promise<string | null> {
    return orAborted(this.#settled.promise, signal);
  }

  /** Aborts the build and waits until it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#settled.resolve(null);
  }

  async #buildUntilReady(): Promise<void> {
    const { directory, recipe, log } = this.#options;
    const { signal } = this.#closing;
    await sweepRootFilesystems(directory, recipeKey(recipe)).catch((error) =>
      log(`former root filesystems could not be removed: ${error}`),
    );
    if (this.#state.kind === "ready") return this.#settled.resolve(this.#path);
    const missing = await missingForRootFilesystem(directory);
    if (missing !== null) return this.#fail(missing, "sandboxes use the host's /usr");
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 8, MAX_PAUSE_MS)) {
      if (await this.#build()) return;
      await pause(wait, undefined, { signal, ref: false });
      this.#settled = Promise.withResolvers();
      this.#state = { kind: "building" };
    }
  }

  async #build(): Promise<boolean> {
    const { directory, recipe, log } = this.#options;
    const { signal } = this.#closing;
    log("building the root filesystem of sandboxes; until it is ready they use the host's /usr");
    try {
      this.#state = { kind: "ready", path: await buildRootFilesystem(directory, recipe, signal) };
      log("the root filesystem of sandboxes is ready");
      this.#settled.resolve(this.#path);
      return true;
    } catch (error) {
      if (!signal.aborted)
        this.#fail(
          (error as Error).message,
          "the next try is later; until then sandboxes use the host's /usr",
        );
      return false;
    }
  }

  #fail(why: string, consequence: string): void {
    this.#state = { kind: "absent", why };
    this.#options.log(`${why}; ${consequence}`);
    this.#settled.resolve(null);
  }
}
