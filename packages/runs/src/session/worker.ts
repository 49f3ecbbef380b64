import { Semaphore, SharedSlots, Signal } from "@berth/concurrency";
import type { Database } from "@berth/store/db";
import {
  type FullOwners,
  type Host,
  isSharedPlace,
  type Lease,
  sessionFields,
  TurnPermits,
} from "@berth/store/leases";
import { OwnerLimits } from "@berth/store/limits";
import type { DefaultLimits } from "@berth/store/names";
import type { SessionHub } from "@berth/store/notify";
import { NO_TRACES, type Traces } from "@berth/store/traces";
import type { Logger } from "pino";
import { type CredentialDeps, SessionCredentials } from "../credentials/session-credentials.ts";
import { claimForRead } from "../lease/claim-for-read.ts";
import { ReclaimClaims } from "../lease/claim-reclaimable.ts";
import { type Claimant, claimRuns, dueAmong, expireLeases, leaseOwners } from "../lease/claim-runs.ts";
import { claimSummaries } from "../lease/claim-summaries.ts";
import { recordCrash, SET_ASIDE } from "../lease/crashed-store.ts";
import { isDraining } from "../lease/host-store.ts";
import { LeaseKeeper } from "../lease/lease-keeper.ts";
import { isDeadOwner, newOwnerName, pidOfOwner } from "../lease/lease-owner.ts";
import { LogMemory } from "../lease/log-memory.ts";
import { reportAway } from "../lease/report-away.ts";
import { resumeAtDayTurn } from "../lease/reserve-spend.ts";
import { SharedClaims } from "../lease/shared-claims.ts";
import { Trials } from "../lease/trials.ts";
import { leaveHosts } from "../lease/untied-hosts-store.ts";
import { readMessageFile } from "../turn/message-file-store.ts";
import type { TurnDeps } from "../turn/session-turn.ts";
import { UsageMeter } from "../usage/usage-meter.ts";
import { SessionWorkspace, type WorkspaceDeps } from "../workspace/session-workspace.ts";
import { DiskReads } from "./disk-reads.ts";
import { SessionMetrics } from "./session-metrics.ts";
import { SessionRunner, type SessionRunnerDeps } from "./session-runner.ts";

export interface WorkerOptions
  extends Omit<
      WorkspaceDeps,
      "credentials" | "mask" | "providers" | "clones" | "metrics" | "usage" | "saves"
    >,
    CredentialDeps,
    Omit<TurnDeps, "readFile" | "previews" | "mask" | "maskStream"> {
  db: Database;
  hub: SessionHub;
  log: Logger;
  host: Host;
  /** Default: nothing is traced. */
  traces?: Traces;
  /** Limits of owners that have none of their own. Default: none. */
  limits?: DefaultLimits;
  /** Default: own metrics, which nobody reads. */
  metrics?: SessionMetrics;
  /** Pids of processes of this host that crashed since crashes were last recorded. Default: none. */
  crashed?: readonly number[];
  /** Milliseconds that a lease lasts; it is renewed three times in that time. Default 15,000. */
  leaseMs?: number;
  /** See `LeaseKeeperOptions.program`. */
  leaseProgram?: string | undefined;
  /** Milliseconds between polls for due sessions, besides the hub's notifications; default 2,000. */
  pollMs?: number;
  /** Milliseconds for which a sandbox stays open while the session is idle; default 60,000. */
  sandboxIdleMs?: number;
  /** Maximum milliseconds for which sandboxes stay open while processes run in them. Default: 0. */
  maxKeepAliveMs?: number;
  /** Returns the key of a link for previews; see `SessionPreviews`. */
  linkKey(linkId: string): Buffer;
  /** Milliseconds for which a session is idle before its container and disk are reclaimed; default a day. */
  reclaimMs?: number;
  /** The most bytes of a session's saved workspace; default null: none is saved. */
  saveBytes?: number | null;
  /** Turns at once; default 32. */
  concurrency?: number;
  /** Milliseconds for which turns may continue after `close`; default 10,000. */
  graceMs?: number;
}

const DAY_MS = 86_400_000;
const CLONES_PER_SLOT = 4;
/** Workspaces that are saved at once. */
const SAVES = 2;

/** Runs sessions of this database, beside other processes. Claims leases of dead processes at once. */
export class Worker {
  /** The name of this worker in leases. */
  readonly owner: string;
  readonly #options: WorkerOptions;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  readonly #concurrency: number;
  readonly #shared: Omit<SessionRunnerDeps, "mask" | "maskStream" | "openWorkspace">;
  readonly #held = new Map<string, SessionRunner>();
  readonly #clones: Semaphore;
  readonly #saves = new Semaphore(SAVES);
  readonly #news = new Signal();
  readonly #reclaims: ReclaimClaims;
  readonly #leases: LeaseKeeper;
  readonly #unsubscribe: () => void;
  readonly #reads: DiskReads;
  readonly #claiming: Promise<void>;
  readonly #sharedClaims = new SharedClaims();
  readonly #permits: TurnPermits;
  readonly #usage: UsageMeter;
  /**
   * Whether there may be more due sessions than slots, so that slots must be shared fairly. True after a
   * start, when there often are.
   */
  #hasBacklog = true;
  /** Whether the last claims may have left due sessions, for lack of slots or of the owners' permits. */
  #mayLeaveDue = true;
  /** The last session that was claimed although there was no slot. */
  #extraSession: SessionRunner | undefined;
  #isClosing = false;
  #isDraining = false;
  #lookedAt = performance.now();

  /** Starts at once. */
  constructor(options: WorkerOptions) {
    const { db, hub, log, leaseMs = 15_000, pollMs = 2_000, reclaimMs = DAY_MS, concurrency = 32 } = options;
    const owner = newOwnerName(options.host.id);
    this.owner = owner;
    this.#options = options;
    this.#leaseMs = leaseMs;
    const { graceMs, place } = options.host;
    // Claims mark the host as seen and find sessions to reclaim, which both limit the time between polls.
    this.#pollMs = Math.min(pollMs, graceMs / 4, reclaimMs);
    this.#concurrency = concurrency;
    this.#clones = new Semaphore(concurrency * CLONES_PER_SLOT);
    const metrics = options.metrics ?? new SessionMetrics();
    const limits = new OwnerLimits(db.read, options.limits);
    this.#permits = new TurnPermits(db, limits);
    this.#usage = new UsageMeter({ db, log, diskBytes: (path) => options.engine.diskBytes(path) });
    this.#shared = {
      ...options,
      metrics,
      logMemory: new LogMemory(),
      traces: options.traces ?? NO_TRACES,
      readFile: (fileId) => readMessageFile(options, fileId),
      previews: hub.previews,
      idleMs: options.sandboxIdleMs ?? 60_000,
      maxKeepAliveMs: options.maxKeepAliveMs ?? 0,
      turns: new SharedSlots(concurrency),
      permits: this.#permits,
      limits,
      trials: new Trials(db.write),
      onRest: () => {
        if (this.#mayLeaveDue) this.#news.set();
      },
      isDraining: () => this.#isDraining && !isSharedPlace(place),
    };
    const { turns } = this.#shared;
    metrics.watch({
      held: () => this.#held.size,
      turnSlots: () => ({ taken: turns.held, free: turns.free }),
    });
    const sandboxIdleMs = this.#shared.idleMs;
    this.#reclaims = new ReclaimClaims({ db: db.write, owner, leaseMs, reclaimMs, sandboxIdleMs, place });
    const keeping = { address: db.address, log, owner, leaseMs, held: this.#held };
    this.#leases = new LeaseKeeper({ ...keeping, program: options.leaseProgram });
    this.#unsubscribe = hub.onDue((sessionId) => {
      const runner = this.#held.get(sessionId);
      if (runner === undefined) this.#news.set();
      else runner.wake();
    });
    this.#reads = new DiskReads({
      hub,
      log,
      runner: (sessionId) => this.#held.get(sessionId),
      claim: async (sessionId) => {
        const lease = await claimForRead(db.write, this.#claimant(), sessionId);
        return lease === null ? null : this.#hold(lease);
      },
    });
    this.#claiming = this.#claimUntilClosed();
  }

  /** Returns whether the worker uses the session's sandbox or disk, also after the lease was lost. */
  holds(sessionId: string): boolean {
    return this.#held.has(sessionId);
  }

  /** Milliseconds since the last complete round of claims, which also marks the host as seen. */
  get silentMs(): number {
    return performance.now() - this.#lookedAt;
  }

  /**
   * Stops claiming. Each running turn continues to its next append, or until the running tool calls have
   * ended, within the grace period. Then its session is released as due, and another process continues it.
   * Closes all sandboxes. A host to which nothing is tied is removed from the list.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#unsubscribe();
    this.#news.set();
    await Promise.all([this.#claiming, this.#reads.close()]);
    const { graceMs = 10_000 } = this.#options;
    await Promise.all([...this.#held.values()].map((runner) => runner.handOver(graceMs)));
    await this.#usage.close();
    await this.#leases.close();
    await this.#leaveHosts();
  }

  /** Removes the host from the list. If the process dies before, another host removes it later. */
  async #leaveHosts(): Promise<void> {
    const { db, host, log } = this.#options;
    await leaveHosts(db, host).catch((error: unknown) =>
      log.warn({ err: error }, "this host could not be removed from the list of hosts"),
    );
  }

  async #claimUntilClosed(): Promise<void> {
    const { db, log } = this.#options;
    let lastPoll = Number.NEGATIVE_INFINITY;
    while (!this.#isClosing) {
      this.#news.reset();
      try {
        const isPoll = performance.now() - lastPoll >= this.#pollMs;
        if (isPoll) {
          await this.#poll();
          lastPoll = performance.now();
        }
        // Runners that are new in this round read their session's state anyway.
        const held = [...this.#held.keys()];
        this.#mayLeaveDue = true;
        const full = await this.#permits.full();
        await this.#claimDue(full);
        this.#mayLeaveDue = this.#hasBacklog || full.organizations.length + full.owners.length > 0;
        if (!this.#isClosing) await this.#claimReclaims();
        if (isPoll && !this.#isClosing) await this.#claimSummaries();
        for (const id of await dueAmong(db.read, held)) this.#held.get(id)?.wake();
        this.#lookedAt = performance.now();
      } catch (error) {
        log.warn({ err: error }, "sessions could not be claimed");
      }
      if (!this.#isClosing) await this.#news.waitFor(this.#pollMs);
    }
  }

  /** Does the work that is not worth a query at each notification. */
  async #poll(): Promise<void> {
    const { db, hub, host } = this.#options;
    const dead = (await leaseOwners(db.write)).filter((owner) => isDeadOwner(owner, host.id));
    await this.#recordCrashes(dead);
    await expireLeases(db.write, dead);
    this.#setDraining(await isDraining(db.write, host.id));
    for (const id of await resumeAtDayTurn(db.write)) hub.publish(id, true);
    const awayMs = Math.min(this.#leaseMs, host.graceMs / 8);
    for (const id of await reportAway(db, host.place, awayMs)) hub.publish(id);
  }

  /** Records crashes. A process that was killed, or ended with its machine, did not crash. */
  async #recordCrashes(dead: readonly string[]): Promise<void> {
    const { db, log, crashed = [] } = this.#options;
    for (const owner of dead.filter((one) => crashed.includes(pidOfOwner(one))))
      for (const session of await recordCrash(db, owner)) {
        this.#shared.metrics.incident("error", "session_set_aside_error");
        log.error(sessionFields(session), SET_ASIDE);
      }
  }

  #setDraining(isDraining: boolean): void {
    if (isDraining === this.#isDraining) return;
    this.#isDraining = isDraining;
    const { log, host } = this.#options;
    if (isDraining)
      log.warn(
        { host: host.id },
        "this host is draining: it takes no new sessions, and gives up the disks of idle ones; 'berth admin hosts drain --cancel' ends the draining",
      );
    else log.info({ host: host.id }, "this host takes new sessions again");
  }

  /** Claims while there are due sessions and free slots. Without a slot it still marks the host as seen. */
  async #claimDue(full: FullOwners): Promise<void> {
    const { db } = this.#options;
    while (!this.#isClosing) {
      const slots = this.#isDrainingSharedPlace() ? 0 : Math.max(0, this.#free());
      const leases = await claimRuns(db.write, this.#claimant(), slots, this.#hasBacklog ? 0 : slots, full);
      for (const lease of leases) {
        this.#sharedClaims.served({ group: lease.organizationId, member: lease.ownerId });
        this.#hold(lease);
      }
      if (this.#isDrainingSharedPlace()) return;
      if (slots === 0) {
        await this.#claimBeside(full);
        return await this.#claimForUnservedOwners(full);
      }
      if (this.#hasBacklog) return await this.#claimShared(full);
      if (leases.length < slots) return;
      this.#hasBacklog = true;
    }
  }

  /** Claims fairly among owners, until no more sessions are due than there are slots. */
  async #claimShared(full: FullOwners): Promise<void> {
    const free = Math.max(0, this.#free());
    const { db } = this.#options;
    const claim = await this.#sharedClaims.claim(db.write, this.#claimant(), free, { full });
    for (const { lease } of claim.leases) this.#hold(lease);
    this.#hasBacklog = claim.mayLeaveDue;
  }

  /**
   * Called when all slots are taken. If one organization has more than its share of them, sessions of others
   * are claimed for extra slots.
   */
  async #claimBeside(full: FullOwners): Promise<void> {
    const { dominant, spare } = this.#shared.turns;
    const limit = spare + this.#free();
    if (dominant === null || limit <= 0) return;
    const { db } = this.#options;
    const excluded = { withoutOrganization: dominant, full };
    const { leases } = await this.#sharedClaims.claim(db.write, this.#claimant(), limit, excluded);
    for (const { lease } of leases) this.#hold(lease);
  }

  /**
   * Called when all slots are taken. If sessions of this worker wait for a slot, sessions of owners that have
   * none here would never be claimed. One of these is claimed to wait too, and gets the next slot.
   */
  async #claimForUnservedOwners(full: FullOwners): Promise<void> {
    this.#hasBacklog = true;
    const active = [...this.#held.values()].filter((runner) => runner.isActive());
    const shares = active.map((runner) => runner.share());
    const others = shares.filter((share) => share !== null);
    // A session whose owner is not known yet may belong to an owner that would be claimed.
    if (this.#shared.turns.waiting === 0 || others.length < shares.length) return;
    if (this.#extraSession !== undefined && active.includes(this.#extraSession)) {
      if (this.#extraSession.waitsForSlot()) return;
    }
    const excluded = { without: others, full };
    const { leases } = await this.#sharedClaims.claim(this.#options.db.write, this.#claimant(), 1, excluded);
    if (leases[0] !== undefined) this.#extraSession = this.#hold(leases[0].lease);
  }

  /**
   * Returns whether due sessions are left to other hosts. A drained host whose disks other hosts can use
   * leaves the disks where they are.
   */
  #isDrainingSharedPlace(): boolean {
    return this.#isDraining && isSharedPlace(this.#options.host.place);
  }

  #claimant(): Claimant {
    const { host } = this.#options;
    return { owner: this.owner, leaseMs: this.#leaseMs, host, capacity: this.#concurrency };
  }

  async #claimReclaims(): Promise<void> {
    for (const lease of await this.#reclaims.claim(this.#free(), this.#shared.isDraining()))
      this.#hold(lease);
  }

  /** Claims summaries. Half of the slots are left to due sessions. A drained host makes no summaries. */
  async #claimSummaries(): Promise<void> {
    if (this.#isDraining) return;
    const limit = Math.floor(Math.max(0, this.#free()) / 2);
    for (const lease of await claimSummaries(this.#options.db.write, this.#claimant(), limit))
      this.#hold(lease);
  }

  /** Returns the number of free slots. A session that only stays warm, or only waits, takes none. */
  #free(): number {
    return this.#concurrency - [...this.#held.values()].filter((runner) => runner.isActive()).length;
  }

  /**
   * Starts a runner. A lease that expired while this worker held it may come back to it: the former run ends
   * before the new one begins.
   */
  #hold(lease: Lease): SessionRunner {
    const { sessionId } = lease;
    const credentials = new SessionCredentials(this.#options, sessionId);
    const log = this.#options.log.child(sessionFields(lease));
    const { metrics } = this.#shared;
    const own = {
      ...this.#options,
      usage: this.#usage,
      metrics,
      log,
      credentials,
      mask: credentials.mask,
      clones: this.#clones,
      saves: { maxBytes: this.#options.saveBytes ?? null, slots: this.#saves },
    };
    const openWorkspace: SessionRunnerDeps["openWorkspace"] = (...held) => new SessionWorkspace(own, ...held);
    const parts = {
      ...this.#shared,
      log,
      mask: own.mask,
      maskStream: () => credentials.maskStream(),
      openWorkspace,
    };
    const runner = new SessionRunner(parts, lease, this.#held.get(sessionId)?.abandon());
    this.#held.set(sessionId, runner);
    this.#leases.hold(lease);
    runner.ended.then(() => {
      this.#leases.drop(lease);
      if (this.#held.get(sessionId) === runner) this.#held.delete(sessionId);
      this.#news.set();
    });
    return runner;
  }
}
