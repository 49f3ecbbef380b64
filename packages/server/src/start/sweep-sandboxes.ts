import { parseId } from "@berth/contract";
import type { SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";

/**
 * Removes what sandboxes of dead processes of this installation left behind, and closes sandboxes whose session this process
 * does not hold. Such a sandbox shows an earlier failure, so each is logged. Sandboxes that belong to no session stay open.
 */
export async function sweepSandboxes(
  engine: SandboxEngine,
  isHeld: (sessionId: string) => boolean,
  log: Logger,
): Promise<void> {
  const closed = await engine.sweep((id) => {
    const session = parseId("session", id);
    return session === null || isHeld(session);
  });
  for (const sandbox of closed) log.error({ sandbox }, "closed a sandbox that no session held");
}
