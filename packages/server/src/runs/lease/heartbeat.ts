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
 * of them are abandoned when the database could not be reached for a whole lease period.
 */
export function startHeartbeat(options: HeartbeatOptions): { close(): void } {
  const { db, owner, held, leaseMs, log } = options;
  let renewedAt = performance.now();
  let isBeating = false;

  async function beat(): Promise<void> {
    const sessions = [...held.values()];
    const startedAt = performance.now();
    try {
      const leases = sessions.map(({ lease }) => lease);
      const renewed = leases.length === 0 ? new Set() : await renewLeases(db, owner, leaseMs, leases);
      renewedAt = startedAt;
      abandon(sessions.filter(({ lease }) => !renewed.has(lease.sessionId)));
    } catch (error) {
      log.warn({ err: error }, "the leases could not be renewed");
      if (performance.now() - renewedAt > leaseMs) abandon(sessions);
    }
  }

  const timer = setInterval(async () => {
    if (isBeating) return;
    isBeating = true;
    await beat();
    isBeating = false;
  }, leaseMs / 3);
  return { close: () => clearInterval(timer) };
}

function abandon(sessions: readonly HeldSession[]): void {
  for (const session of sessions) void session.abandon();
}
