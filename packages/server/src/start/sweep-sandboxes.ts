import { parseId } from "@berth/contract";
import { abandonedLeases } from "@berth/runs/lease";
import type { LeasedSandbox, SandboxEngine } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import type { Logger } from "pino";

/**
 * Removes leftovers of sandboxes of dead processes of this installation, and closes sandboxes whose session
 * this process does not hold. Such a sandbox shows an earlier failure, so each is logged. Sandboxes that
 * belong to no session stay open.
 */
export async function sweepSandboxes(
  engine: SandboxEngine,
  db: Queryable,
  isHeld: (sessionId: string) => boolean,
  log: Logger,
): Promise<void> {
  const mayLive = (id: string) => {
    const session = parseId("session", id);
    return session === null || isHeld(session);
  };
  const abandoned = async (sandboxes: readonly LeasedSandbox[]) => {
    const sessions = sandboxes.map(({ id }) => parseId("session", id));
    const left = await abandonedLeases(
      db,
      sandboxes.flatMap(({ epoch }, at) => {
        const sessionId = sessions[at] ?? null;
        return sessionId === null ? [] : [{ sessionId, epoch }];
      }),
    );
    return sandboxes.filter(({ epoch }, at) =>
      left.some((lease) => lease.sessionId === sessions[at] && lease.epoch === epoch),
    );
  };
  const closed = await engine.sweep(mayLive, abandoned);
  for (const sandbox of closed) log.error({ sandbox }, "closed a sandbox that no session held");
}
