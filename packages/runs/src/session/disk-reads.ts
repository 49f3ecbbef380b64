import { Semaphore } from "@berth/concurrency";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import type { SessionRunner } from "./session-runner.ts";

export interface DiskReadParts {
  hub: Pick<SessionHub, "reads">;
  log: Pick<Logger, "warn">;
  /** The runner of a session that the worker holds. */
  runner(sessionId: string): SessionRunner | undefined;
  /** Holds a session that nobody holds and whose disk is here; else null. */
  claim(sessionId: string): Promise<SessionRunner | null>;
}

/** Sessions at once whose sandboxes are opened to be read. They take no slots of turns. */
const MAX_CLAIMED = 8;

/**
 * Has a worker answer the reads of its sessions' disks when others tell of them: in a session that it holds at once, and one that nobody
 * holds it claims. Whoever waits tells of it again until there is an answer, so nothing is polled.
 */
export class DiskReads {
  readonly #parts: DiskReadParts;
  readonly #stopListening: () => void;
  readonly #claims = new Semaphore(MAX_CLAIMED);
  /** Sessions that are to be claimed. */
  readonly #queued = new Set<string>();
  readonly #claiming = new Set<Promise<SessionRunner | null>>();
  #isClosing = false;

  constructor(parts: DiskReadParts) {
    this.#parts = parts;
    this.#stopListening = parts.hub.reads.onAsked((sessionId) => void this.#asked(sessionId));
  }

  /** Claims nothing more. Resolves when no claim is under way; what was claimed may still be read. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#stopListening();
    await Promise.allSettled(this.#claiming);
  }

  async #asked(sessionId: string): Promise<void> {
    try {
      if (await this.#parts.runner(sessionId)?.readDisk()) return;
      if (this.#queued.has(sessionId)) return;
      this.#queued.add(sessionId);
      await this.#claims.run(async () => {
        const claimed = await this.#claim(sessionId).finally(() => this.#queued.delete(sessionId));
        // However long the reads then take: others are not to wait for what an agent may slow.
        claimed?.readDisk().catch(this.#warn);
        await claimed?.openForReads();
      });
    } catch (error) {
      this.#warn(error);
    }
  }

  readonly #warn = (err: unknown) => {
    this.#parts.log.warn({ err }, "a session could not be claimed for a read of its disk");
  };

  async #claim(sessionId: string): Promise<SessionRunner | null> {
    if (this.#isClosing) return null;
    const claiming = this.#parts.claim(sessionId);
    this.#claiming.add(claiming);
    return await claiming.finally(() => this.#claiming.delete(claiming));
  }
}
