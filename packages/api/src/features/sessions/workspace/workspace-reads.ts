import { Signal } from "@berth/concurrency";
import { formatId, newUuid } from "@berth/contract";
import type { Database } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { SessionHub } from "@berth/store/notify";
import type { ReadAnswer, ReadKind, ReadRequest } from "@berth/store/session-log";
import { removeRead, storeRead, takeAnswer } from "./read-store.ts";
import { requireDisk } from "./require-disk.ts";

/** Milliseconds for an answer, which may include opening a sandbox. */
const TIME_LIMIT_MS = 30_000;
/** Milliseconds after which a read is announced again, because notifications may be lost and runners die. */
const ASK_AGAIN_MS = 1_000;
/** Milliseconds for which the row of an asker that died stays, which exceeds the time that an asker waits. */
const TTL_MS = 2 * TIME_LIMIT_MS;

type Asked<Kind extends ReadKind> = Extract<ReadRequest, { kind: Kind }>;
type Taken<Kind extends ReadKind> = { answer: ReadAnswer<Kind>; content: Buffer | null };

/**
 * Reads from a session's disk through the runner that leases the session, on any machine. A read is a row,
 * which the runner answers and the asker deletes.
 */
export class WorkspaceReads {
  readonly #db: Database;
  readonly #hub: Pick<SessionHub, "reads">;
  readonly #limitMs: number;
  readonly #closing = new AbortController();

  /** @param limitMs milliseconds that an answer may take. Default: 30,000. */
  constructor(db: Database, hub: Pick<SessionHub, "reads">, limitMs: number = TIME_LIMIT_MS) {
    this.#db = db;
    this.#hub = hub;
    this.#limitMs = limitMs;
  }

  /** Rejects waiting reads, because the service stops. */
  close(): void {
    this.#closing.abort();
  }

  /**
   * Asks the runner, and returns its answer and the bytes beside it.
   *
   * @param sessionId a uuid.
   * @throws errors.noDisk, errors.diskAway, errors.tooManyReads, errors.notReadInTime, errors.stopping
   */
  async ask<Kind extends ReadKind>(sessionId: string, request: Asked<Kind>): Promise<Taken<Kind>> {
    const { write } = this.#db;
    const { signal } = this.#closing;
    const id = newUuid();
    const news = new Signal();
    const stopListening = this.#hub.reads.onAnswered(sessionId, news.set);
    signal.addEventListener("abort", news.set, { once: true });
    try {
      if (!(await storeRead(write, { id, sessionId, request, ttlMs: TTL_MS, opens: true })))
        throw errors.tooManyReads();
      return await this.#untilAnswered<Kind>(id, sessionId, news);
    } catch (error) {
      // If the database is unreachable, the row is deleted once it has expired.
      await removeRead(write, id).catch(() => undefined);
      throw error;
    } finally {
      stopListening();
      signal.removeEventListener("abort", news.set);
    }
  }

  async #untilAnswered<Kind extends ReadKind>(
    id: string,
    sessionId: string,
    news: Signal,
  ): Promise<Taken<Kind>> {
    const deadline = performance.now() + this.#limitMs;
    while (performance.now() < deadline) {
      this.#hub.reads.publish(sessionId, "asked");
      const taken = await this.#takeWithin<Kind>(id, news, Math.min(ASK_AGAIN_MS, this.#limitMs));
      if (taken !== null) return taken;
      if (this.#closing.signal.aborted) throw errors.stopping();
      await requireDisk(this.#db.read, sessionId);
    }
    throw errors.notReadInTime(formatId("session", sessionId), this.#limitMs / 1_000);
  }

  /** Waits for the answer, at most `milliseconds`. A wake may be for another read of the session. */
  async #takeWithin<Kind extends ReadKind>(
    id: string,
    news: Signal,
    milliseconds: number,
  ): Promise<Taken<Kind> | null> {
    const until = performance.now() + milliseconds;
    for (;;) {
      const isWoken = await news.waitFor(Math.max(0, until - performance.now()));
      news.reset();
      const taken = await takeAnswer<Kind>(this.#db.write, id);
      if (taken !== null || !isWoken || this.#closing.signal.aborted) return taken;
    }
  }
}
