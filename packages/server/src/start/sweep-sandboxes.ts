import { parseId } from "@berth/contract";
import type { SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";

/**
 * Removes what dead processes of this installation left of sandboxes, and closes sandboxes of sessions that this process does
 * not hold. There are none unless something went wrong, so each is logged. Sandboxes that are open for another purpose than a
 * session stay open.
 */
export async function sweepSandboxes(
  engine: SandboxEngine,
  holds: (sessionId: string) => boolean,
  log: Logger,
): Promise<void> {
  const closed = await engine.sweep((id) => {
    const session = parseId("session", id);
    return session === null || holds(session);
  });
  for (const sandbox of closed) log.error({ sandbox }, "closed a sandbox that no session held");
}
