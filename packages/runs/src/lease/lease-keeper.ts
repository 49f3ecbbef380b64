import { Worker as Thread } from "node:worker_threads";
import type { DatabaseAddress } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import { watchLeaseDeadline } from "./lease-deadline.ts";
import { LEASE_PROGRAM } from "./lease-program.ts";
import { LeaseSigns, monotonicMs } from "./lease-signs.ts";
import type { FromLeaseThread, LeaseThreadData, ToLeaseThread } from "./lease-thread.ts";

/** A session that this process holds. */
interface HeldSession {
  readonly lease: Lease;
  /** Called when the lease is lost. */
  abandon(): Promise<void>;
}

export interface LeaseKeeperOptions {
  /** The address of the database with the leases, to which the thread connects. */
  address: DatabaseAddress;
  log: Logger;
  owner: string;
  leaseMs: number;
  /** Milliseconds without a heartbeat of the main thread before the process is killed. Default: 30,000. */
  frozenMs?: number;
  held: ReadonlyMap<string, HeldSession>;
  /** Path of the thread's program. Default: that of this checkout or bundle. */
  program?: string | undefined;
}

const FROZEN_MS = 30_000;
const BEAT_MS = 250;
const RESTART_MS = 100;

/**
 * Keeps a worker's leases, and abandons the sessions whose lease is lost. A separate thread renews the
 * leases, so that none is lost because the main thread is busy. All sessions are abandoned when no renewal
 * was confirmed for a whole lease period: other workers may claim them from then on.
 *
 * A main thread that is busy for longer than `frozenMs` is taken to be frozen. The process is killed, and its
 * sessions continue elsewhere.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #signs = new LeaseSigns();
  readonly #deadline: { close(): void };
  readonly #beating: NodeJS.Timeout;
  #thread: Thread;
  #exited = Promise.resolve();
  #restarting: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#signs.confirm(monotonicMs());
    this.#thread = this.#startThread();
    this.#beating = setInterval(() => this.#signs.beat(), BEAT_MS);
    this.#deadline = watchLeaseDeadline(this.#signs, options.leaseMs, () => this.#missed());
  }

  hold(lease: Lease): void {
    this.#send({ hold: lease });
  }

  drop({ sessionId, epoch }: Lease): void {
    this.#send({ drop: { sessionId, epoch } });
  }

  /** Ends the thread and waits for it. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#beating);
    clearTimeout(this.#restarting);
    this.#deadline.close();
    this.#send({ close: true });
    await this.#exited;
  }

  #startThread(): Thread {
    const { address, owner, leaseMs, frozenMs = FROZEN_MS, held, program = LEASE_PROGRAM } = this.#options;
    const { memory } = this.#signs;
    const workerData: LeaseThreadData = { address, owner, leaseMs, frozenMs, memory };
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    const thread = new Thread(program, { workerData });
    thread.on("message", (message: FromLeaseThread) => this.#hear(message));
    thread.on("error", (err) => this.#options.log.error({ err }, "the thread that renews leases failed"));
    thread.on("exit", () => {
      exited.resolve();
      if (!this.#isClosing) this.#restarting = setTimeout(() => this.#restart(), RESTART_MS);
    });
    for (const { lease } of held.values()) thread.postMessage({ hold: lease } satisfies ToLeaseThread);
    return thread;
  }

  #restart(): void {
    this.#thread = this.#startThread();
  }

  #send(message: ToLeaseThread): void {
    this.#thread.postMessage(message);
  }

  #hear(message: FromLeaseThread): void {
    const { log, held } = this.#options;
    if ("failure" in message) {
      log.warn({ reason: message.failure }, "the leases could not be renewed");
      return;
    }
    for (const { sessionId, epoch } of message.lost) {
      const session = held.get(sessionId);
      if (session?.lease.epoch === epoch) void session.abandon();
    }
  }

  #missed(): void {
    const { log, held } = this.#options;
    if (held.size > 0) log.warn("the database confirmed no lease for a whole lease period");
    for (const session of [...held.values()]) void session.abandon();
  }
}
