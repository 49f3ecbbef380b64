import { Semaphore, Signal } from "@berth/concurrency";
import type { Logger } from "pino";
import type { Database } from "../../db/pool.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import { ownSecrets } from "../credentials/session-secrets.ts";
import { createReclaimer } from "../lease/claim-reclaimable.ts";
import { claimRuns, dueAmong, expireLeases } from "../lease/claim-runs.ts";
import { beatHearts } from "../lease/heartbeat.ts";
import type { Lease } from "../lease/lease.ts";
import { isDeadOwner, workerOwner } from "../lease/lease-owner.ts";
import { readFileContent } from "../turn/file-content.ts";
import type { TurnParts } from "../turn/take-turn.ts";
import { openSessionWorkspace, type WorkspaceParts } from "../workspace/session-workspace.ts";
import { type HeldSession, type HoldDependencies, holdSession } from "./session-runner.ts";

export interface WorkerOptions
  extends Omit<WorkspaceParts, "mask">,
    Omit<TurnParts, "fileContent" | "previews" | "mask"> {
  db: Database;
  hub: SessionHub;
  log: Logger;
  /** How long a lease lasts without a heartbeat, which comes at a third of it; default 15,000. */
  leaseMs?: number;
  /** Between looks for sessions that are due, beside what the hub tells; default 2,000. */
  pollMs?: number;
  /** How long a sandbox stays open when nothing happens; default 60,000. */
  sandboxIdleMs?: number;
  /** How long a session is idle before its container and disk go; default a day. */
  reclaimMs?: number;
  /** Turns at once; default 32. */
  concurrency?: number;
  /** How long turns may go on after `close`; default 10,000. */
  graceMs?: number;
}

export interface Worker {
  /** Names this worker in leases. */
  readonly owner: string;
  /** Whether it has the session's sandbox or disk in hand, also after its lease was lost. */
  holds(sessionId: string): boolean;
  /**
   * Claims nothing more. Each running turn goes on to its next append, or until the tool calls that run have ended,
   * within the grace; then its session is given back as due, and another process goes on with it. Closes all sandboxes.
   */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Runs sessions of this database, beside the workers of other processes. Leases of dead processes are taken at once. */
export function startWorker(options: WorkerOptions): Worker {
  const { db, hub, log, leaseMs = 15_000, pollMs = 2_000, graceMs = 10_000, concurrency = 32 } = options;
  const { reclaimMs = DAY_MS } = options;
  const owner = workerOwner();
  const held = new Map<string, HeldSession>();
  const news = new Signal();
  let closing = false;
  const shared: Omit<HoldDependencies, "mask" | "openWorkspace"> = {
    ...options,
    fileContent: (fileId) => readFileContent(options, fileId),
    previews: hub.previews,
    idleMs: options.sandboxIdleMs ?? 60_000,
    turns: new Semaphore(concurrency),
    onRest: () => news.set(),
  };

  const reclaimable = createReclaimer({
    db: db.write,
    owner,
    leaseMs,
    reclaimMs,
    host: options.disks.host,
  });

  const heart = beatHearts({ db: db.write, log, owner, leaseMs, held });
  const unsubscribe = hub.onDue((sessionId) => {
    const session = held.get(sessionId);
    if (session === undefined) news.set();
    else session.wake();
  });
  const claiming = claimForEver();

  async function claimForEver(): Promise<void> {
    let looked = Number.NEGATIVE_INFINITY;
    while (!closing) {
      news.reset();
      try {
        if (performance.now() - looked >= pollMs) {
          await expireLeases(db.write, isDeadOwner);
          looked = performance.now();
        }
        await claim();
        if (!closing) for (const lease of await reclaimable(free())) hold(lease);
        for (const sessionId of await dueAmong(db.read, [...held.keys()])) held.get(sessionId)?.wake();
      } catch (error) {
        log.warn({ err: error }, "sessions could not be claimed");
      }
      if (!closing) await news.waitFor(Math.min(pollMs, reclaimMs));
    }
  }

  function free(): number {
    return concurrency - [...held.values()].filter((session) => session.isActive()).length;
  }

  /** Claims while there are sessions and free places. Sessions that only stay warm take no place. */
  async function claim(): Promise<void> {
    for (;;) {
      const places = free();
      if (closing || places <= 0) return;
      const leases = await claimRuns(db.write, owner, leaseMs, places, options.disks.host);
      for (const lease of leases) hold(lease);
      if (leases.length < places) return;
    }
  }

  /** A lease that ran out while this worker held it may come back to it: the former run ends before the new one begins. */
  function hold(lease: Lease): void {
    const { sessionId } = lease;
    const own = { ...options, ...ownSecrets(options.secrets) };
    const openWorkspace: HoldDependencies["openWorkspace"] = (...held) => openSessionWorkspace(own, ...held);
    const dependencies = { ...shared, mask: own.mask, openWorkspace };
    const session = holdSession(dependencies, lease, held.get(sessionId)?.abandon());
    held.set(sessionId, session);
    session.ended.then(() => {
      if (held.get(sessionId) === session) held.delete(sessionId);
      news.set();
    });
  }

  return {
    owner,
    holds: (sessionId) => held.has(sessionId),
    async close() {
      closing = true;
      unsubscribe();
      news.set();
      await claiming;
      await Promise.all([...held.values()].map((session) => session.handOver(graceMs)));
      heart.close();
    },
  };
}
