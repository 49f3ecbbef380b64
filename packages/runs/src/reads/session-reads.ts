import { LeaseLost } from "@berth/agent";
import { Semaphore } from "@berth/concurrency";
import { SandboxError } from "@berth/sandbox";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { SessionHub } from "@berth/store/notify";
import { MAX_READ_MS, type ReadRequest } from "@berth/store/session-log";
import type { Logger } from "pino";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import type { ReadDeps } from "./repository-changes.ts";
import { failed, found, type ServedRead, serveRead } from "./serve-read.ts";
import type { SessionPreviews } from "./session-previews.ts";
import { answerRead, type WaitingRead, waitingReads } from "./waiting-read-store.ts";

export interface SessionReadDeps extends Omit<ReadDeps, "db"> {
  db: Database;
  hub: Pick<SessionHub, "reads">;
  log: Pick<Logger, "warn">;
}

/** The most concurrent reads of one session. */
const MAX_AT_ONCE = 4;

/**
 * Answers the reads of a session's disk while the lease is held, beside its turns and commands. Opens a
 * sandbox on the disk if none is open, and never creates a disk. A read that is not answered, because the
 * lease is lost or handed over, waits for the next holder.
 */
export class SessionReads {
  readonly #deps: SessionReadDeps;
  readonly #lease: Lease;
  readonly #workspace: SessionWorkspace;
  readonly #previews: Pick<SessionPreviews, "link">;
  readonly #slots = new Semaphore(MAX_AT_ONCE);
  readonly #underWay = new Set<string>();

  constructor(
    deps: SessionReadDeps,
    lease: Lease,
    workspace: SessionWorkspace,
    previews: Pick<SessionPreviews, "link">,
  ) {
    this.#deps = deps;
    this.#lease = lease;
    this.#workspace = workspace;
    this.#previews = previews;
  }

  /**
   * Answers the waiting reads. Resolves when they are answered, with whether one of them was of the disk; never
   * rejects.
   */
  async look(): Promise<boolean> {
    try {
      const waiting = await waitingReads(this.#deps.db.read, this.#lease.sessionId);
      const added = waiting.filter(({ id }) => !this.#underWay.has(id));
      for (const { id } of added) this.#underWay.add(id);
      await Promise.all(added.map((read) => this.#slots.run(() => this.#serve(read))));
      return added.some(({ request }) => request.kind !== "link");
    } catch (error) {
      this.#deps.log.warn({ err: error }, "the reads of a session's disk could not be looked up");
      return true;
    }
  }

  /** Resolves when a sandbox is open, or none can be. Never rejects. */
  async opened(): Promise<void> {
    await this.#workspace.sandboxOnDisk().catch(() => undefined);
  }

  async #serve(read: WaitingRead): Promise<void> {
    const { db, hub, log } = this.#deps;
    try {
      const served = await this.#read(read);
      if (served !== null && (await answerRead(db.write, this.#lease, read.id, served)))
        hub.reads.publish(this.#lease.sessionId, "answered");
    } catch (error) {
      log.warn({ err: error }, "a read of a session's disk could not be answered");
    } finally {
      this.#underWay.delete(read.id);
    }
  }

  /**
   * Serves one read. Returns null when the next holder must answer. If the sandbox closes meanwhile, for
   * example because it lacks a mount point, it is opened again once.
   */
  async #read({ request }: WaitingRead): Promise<ServedRead | null> {
    const signal = AbortSignal.any([this.#workspace.signal, AbortSignal.timeout(MAX_READ_MS)]);
    try {
      let served = await this.#readOnce(request, signal);
      if (!served.answer.ok && served.answer.reason === "gone")
        served = await this.#readOnce(request, signal);
      return this.#workspace.hasEnded() ? null : served;
    } catch (error) {
      if (error instanceof LeaseLost || this.#workspace.hasEnded()) return null;
      // The failure to open the sandbox is already in the session's and the service's log.
      if (error instanceof SandboxError) return failed("not_opened");
      this.#deps.log.warn({ err: error }, "a session's disk could not be read");
      return failed("failed");
    }
  }

  async #readOnce(request: ReadRequest, signal: AbortSignal): Promise<ServedRead> {
    if (request.kind === "link") {
      const isLinked = await this.#previews.link(request.linkId, request.addresses);
      return isLinked ? found<"link">({}) : failed("unreachable");
    }
    const sandbox = await this.#workspace.sandboxOnDisk();
    if (sandbox === null) return failed("no_disk");
    return await serveRead(this.#deps, { sessionId: this.#lease.sessionId, sandbox, signal }, request);
  }
}
