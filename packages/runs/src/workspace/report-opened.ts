import type { EventOf } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { OpenDeps, OpenTarget, SandboxKind } from "./opening.ts";

type Started = Pick<
  EventOf<"session.container_started">,
  "seconds" | "waited_seconds" | "lowered_limits" | "restored"
>;

/** Appends the start to the session's log. If that fails the lease is lost, so the sandbox is closed. */
export async function reportStarted(
  { runLog }: OpenTarget,
  sandbox: Sandbox,
  started: Started,
): Promise<void> {
  try {
    await runLog.append([{ event: { type: "session.container_started", ...started } }]);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** Reports the opening to the operator's log and metrics, and meters the sandbox until it closes. */
export function countOpened(
  { log, metrics, usage }: OpenDeps,
  { session: { id: sessionId, organizationId, ownerId } }: OpenTarget,
  sandbox: Sandbox,
  { kind, seconds, diskPath }: { kind: SandboxKind; seconds: number; diskPath: string },
): void {
  metrics.sandboxOpened(kind, seconds);
  log.info({ kind, milliseconds: Math.round(seconds * 1_000) }, "sandbox opened");
  const countClosed = usage.opened({ sessionId, organizationId, ownerId, diskPath });
  void sandbox.closed.then(() => {
    countClosed();
    log.info("sandbox closed");
  });
}
