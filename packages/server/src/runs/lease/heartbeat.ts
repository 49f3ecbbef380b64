import type { Logger } from "pino";
import type { Queryable } from "../../db/statement.ts";
import { renewLeases } from "./claim-runs.ts";
import type { Lease } from "./lease.ts";

/** A session that this process holds. */
interface HeldSession {
  readonly lease: Lease;
  /** Called when the lease is lost. */
  abandon(): Promise<void>;
}

export interface HeartbeatOptions {
  db: Queryable;
  log: Logger;
  owner: string;
  leaseMs: number;
  held: ReadonlyMap<string, HeldSession>;
}

/**
 * Renews a worker's leases three times per lease period, in one statement, and abandons the sessions whose lease is lost. All
 * of them are abandoned when no renewal was confirmed for a whole lease period, also while one waits for its answer: from then
 * on the sessions may be another's.
 */
export function startHeartbeat(options: HeartbeatOptions): { close(): void } {
  const { db, owner, held, leaseMs, log } = options;
  const deadline = startDeadline(leaseMs, () => {
    if (held.size > 0) log.warn("the database confirmed no lease for a whole lease period");
    abandon([...held.values()]);
  });
  let isBeating = false;

  async function beat(): Promise<void> {
    const sessions = [...held.values()];
    const startedAt = performance.now();
    try {
      const leases = sessions.map(({ lease }) => lease);
      const renewed = leases.length === 0 ? new Set() : await renewLeases(db, owner, leaseMs, leases);
      deadline.moveTo(startedAt + leaseMs);
      abandon(sessions.filter(({ lease }) => !renewed.has(lease.sessionId)));
    } catch (error) {
      log.warn({ err: error }, "the leases could not be renewed");
    }
  }

  const timer = setInterval(async () => {
    if (isBeating) return;
    isBeating = true;
    await beat();
    isBeating = false;
  }, leaseMs / 3);
  return {
    close() {
      clearInterval(timer);
      deadline.close();
    },
  };
}

/**
 * Calls `missed` when the deadline, at first a lease period from now, is not moved in time, and again each lease period. A process
 * that was stopped finds out late: it first has the time of a renewal to ask whether its leases are still its own.
 */
function startDeadline(leaseMs: number, missed: () => void): { moveTo(at: number): void; close(): void } {
  let at = performance.now() + leaseMs;
  const timer = setInterval(() => {
    const late = performance.now() - at;
    if (late < 0) return;
    at += late > leaseMs / 3 ? late + leaseMs / 3 : leaseMs;
    if (late <= leaseMs / 3) missed();
  }, leaseMs / 15);
  return {
    moveTo(next) {
      at = next;
    },
    close: () => clearInterval(timer),
  };
}

function abandon(sessions: readonly HeldSession[]): void {
  for (const session of sessions) void session.abandon();
}
