import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { buildRootFilesystem } from "./build-root-filesystem.ts";
import { missingForRootFilesystem } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, type Recipe, recipeKey } from "./recipe.ts";
import { sweepRootFilesystems } from "./sweep-trees.ts";

const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 3_600_000;

/**
 * The system of this installation's sandboxes.
 *
 * Life story. It begins `absent` unless a process before has made it, and is made in the background. When that fails it is
 * tried again, later each time. Once `ready` it stays as it is.
 */
export interface RootFilesystem {
  state(): RootFilesystemState;
  /** Resolves once it is ready, with its path, or cannot be, with null. Rejects with the signal's reason when it aborts. */
  settled(signal: AbortSignal): Promise<string | null>;
  /** Ends what is being made. */
  close(): Promise<void>;
}

export type RootFilesystemState =
  | { kind: "ready"; path: string }
  | { kind: "building" }
  /** It could not be made and is tried again later, or cannot be made here; `why` is a clause. */
  | { kind: "absent"; why: string };

export interface SystemTreeOptions {
  /** Where trees lie; made, 0700, when missing. */
  directory: string;
  recipe?: Recipe;
  log: (line: string) => void;
}

/** Begins to make the tree where it is missing and this machine can. Never throws. */
export function openSystemTree({
  directory,
  recipe = DEBIAN_RECIPE,
  log,
}: SystemTreeOptions): RootFilesystem {
  const closing = new AbortController();
  const { signal } = closing;
  const path = `${directory}/${recipeKey(recipe)}`;
  let state: RootFilesystemState = existsSync(path) ? { kind: "ready", path } : { kind: "building" };
  /** Replaced with each try. */
  let settling = Promise.withResolvers<string | null>();
  const making = make().catch(() => {});

  async function make(): Promise<void> {
    await sweepRootFilesystems(directory, recipeKey(recipe)).catch((error) =>
      log(`systems of before were not removed: ${error}`),
    );
    if (state.kind === "ready") return settling.resolve(path);
    const lack = await missingForRootFilesystem(directory);
    if (lack !== null) return give(lack, "sandboxes use the host's system");
    for (let wait = FIRST_PAUSE_MS; !signal.aborted; wait = Math.min(wait * 8, MAX_PAUSE_MS)) {
      if (await tried()) return;
      await pause(wait, undefined, { signal, ref: false });
      settling = Promise.withResolvers();
      state = { kind: "building" };
    }
  }

  async function tried(): Promise<boolean> {
    log("the system of sandboxes is being made; until it is ready they use the host's");
    try {
      state = { kind: "ready", path: await buildRootFilesystem(directory, recipe, signal) };
      log("the system of sandboxes is ready");
      settling.resolve(path);
      return true;
    } catch (error) {
      if (!signal.aborted)
        give((error as Error).message, "it is tried again, and sandboxes use the host's system until then");
      return false;
    }
  }

  function give(why: string, consequence: string): void {
    state = { kind: "absent", why };
    log(`${why}; ${consequence}`);
    settling.resolve(null);
  }

  return {
    state: () => state,
    settled(waiting) {
      const aborted = new Promise<never>((_, reject) => {
        if (waiting.aborted) reject(waiting.reason);
        waiting.addEventListener("abort", () => reject(waiting.reason), { once: true });
      });
      return Promise.race([settling.promise, aborted]);
    },
    async close() {
      closing.abort();
      await making;
      settling.resolve(null);
    },
  };
}
