import { LeaseLost, summariseIdle } from "@berth/agent";
import { sleep } from "@berth/concurrency";
import { databaseNow } from "@berth/store/db";
import { prepareTurn } from "./prepare-turn.ts";
import type { TurnDeps, TurnOptions } from "./session-turn.ts";

/**
 * Summarises the history of a session that waits for its user. When the signal aborts it stops at once, with
 * the end of its request in the log. However it ends, it is not tried again in this pause. A failure is
 * logged and leaves the session as it was.
 *
 * @throws LeaseLost
 */
export async function summariseSession(
  deps: Pick<TurnDeps, "model" | "mask" | "readFile" | "log">,
  { log, workspace, watched, spending }: Pick<TurnOptions, "log" | "workspace" | "watched" | "spending">,
  signal: AbortSignal,
): Promise<void> {
  const { agent } = workspace.session;
  const model = deps.model(agent);
  try {
    if (model === null) return;
    const outcome = await summariseIdle(
      {
        agent,
        model: watched(model),
        spending,
        ...(await prepareTurn(workspace, deps.mask, signal)),
        log: await log.forTurn(),
        readFile: deps.readFile,
        sleep,
        now: databaseNow,
        sandbox: () => workspace.sandbox(signal),
        environment: () => workspace.environment(),
        signal,
      },
      (drafts) => log.appendSummaryStart(drafts),
    );
    if (outcome === "failed") deps.log.info("the model wrote no summary of an idle session");
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    if (!signal.aborted) deps.log.warn({ err: error }, "an idle session could not be summarised");
  } finally {
    if (!log.isClosed) await log.endSummary();
  }
}
