import type { Logger } from "pino";
import type { Queryable } from "../../db/statement.ts";
import { renewLeases } from "./claim-runs.ts";
import type { Lease } from "./lease.ts";

/** A session that this process holds. */
interface HeldSession {
  readonly lease: Lease;
  /** Called when the lease is gone. */
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
 * Renews the leases of a worker at a third of their time, all in one statement, and abandons the sessions whose lease is
 * gone. When the database could not be asked for as long as a lease lasts, that is all of them.
 */
export function beatHearts(options: HeartbeatOptions): { close(): void } {
  const { held, leaseMs, log } = options;
  let renewedAt = performance.now();
  let beating = false;

  async function beat(): Promise<void> {
    const sessions = [...held.values()];
    const asked = performance.now();
    try {
      const standing = await renewed(options, sessions);
      renewedAt = asked;
      abandon(sessions.filter(({ lease }) => !standing.has(lease.sessionId)));
    } catch (error) {
      log.warn({ err: error }, "leases could not be renewed");
      if (performance.now() - renewedAt > leaseMs) abandon(sessions);
    }
  }

  const timer = setInterval(async () => {
    if (beating) return;
    beating = true;
    await beat();
    beating = false;
  }, leaseMs / 3);
  return { close: () => clearInterval(timer) };
}

async function renewed({ db, owner, leaseMs }: HeartbeatOptions, sessions: readonly HeldSession[]) {
  if (sessions.length === 0) return new Set<string>();
  return await renewLeases(
    db,
    owner,
    leaseMs,
    sessions.map((session) => session.lease),
  );
}

function abandon(sessions: readonly HeldSession[]): void {
  for (const session of sessions) void session.abandon();
}
