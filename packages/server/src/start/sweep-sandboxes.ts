import { parseId } from "@berth/contract";
import type { SandboxEngine } from "@berth/sandbox";
import type { Logger } from "pino";

/**
 * Takes away what dead processes of this installation left of sandboxes, and closes sandboxes of sessions that this process
 * does not hold. There is none of those unless something went wrong, so each is told in the log. Sandboxes that are open for
 * something else than a session stay.
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
  for (const sandbox of closed) log.error({ sandbox }, "a sandbox was open that nobody held, and was closed");
}
