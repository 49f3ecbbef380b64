import { Semaphore } from "@berth/concurrency";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import type { SessionRunner } from "./session-runner.ts";

export interface DiskReadDeps {
  hub: Pick<SessionHub, "reads">;
  log: Pick<Logger, "warn">;
  /** Returns the runner of a session that the worker holds. */
  runner(sessionId: string): SessionRunner | undefined;
  /** Claims a session that nobody holds and whose disk is here. Returns null when that is not possible. */
  claim(sessionId: string): Promise<SessionRunner | null>;
}

/** The most sessions whose sandboxes are opened at once to be read. They take no slots of turns. */
const MAX_CLAIMED = 8;

/**
 * Makes a worker answer reads of its sessions' disks when it is notified of them. It answers at once in a
 * session that it holds, and claims one that nobody holds. The waiting client notifies again until there is
 * an answer, so nothing is polled.
 */
export class DiskReads {
  readonly #deps: DiskReadDeps;
  readonly #stopListening: () => void;
  readonly #claims = new Semaphore(MAX_CLAIMED);
  /** Sessions that are to be claimed. */
  readonly #queued = new Set<string>();
  readonly #claiming = new Set<Promise<SessionRunner | null>>();
  #isClosing = false;

  constructor(deps: DiskReadDeps) {
    this.#deps = deps;
    this.#stopListening = deps.hub.reads.onAsked((sessionId) => void this.#asked(sessionId));
  }

  /** Stops claiming. Resolves when no claim is in progress. Reads of claimed sessions may still run. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopListening();
    await Promise.allSettled(this.#claiming);
  }

  async #asked(sessionId: string): Promise<void> {
    try {
      if (await this.#deps.runner(sessionId)?.readDisk()) return;
      if (this.#queued.has(sessionId)) return;
      this.#queued.add(sessionId);
      await this.#claims.run(async () => {
        const claimed = await this.#claim(sessionId).finally(() => this.#queued.delete(sessionId));
        // Reads are not awaited here: an agent may slow them, and other sessions must not wait for that.
        claimed?.readDisk().catch(this.#warn);
        await claimed?.openForReads();
      });
    } catch (error) {
      this.#warn(error);
    }
  }

  readonly #warn = (err: unknown) => {
    this.#deps.log.warn({ err }, "a session could not be claimed for a read of its disk");
  };

  async #claim(sessionId: string): Promise<SessionRunner | null> {
    if (this.#isClosing) return null;
    const claiming = this.#deps.claim(sessionId);
    this.#claiming.add(claiming);
    return await claiming.finally(() => this.#claiming.delete(claiming));
  }
}
