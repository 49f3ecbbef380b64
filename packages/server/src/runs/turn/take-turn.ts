import {
  type Draft,
  LeaseLost,
  type Model,
  type ReadFile,
  runTurn,
  toolset,
  unstartedCallResults,
} from "@berth/agent";
import { sleep } from "@berth/concurrency";
import type { SessionAgent, SessionErrorType, StopReason } from "@berth/contract";
import type { Logger } from "pino";
import { DatabaseUnavailableError } from "../../db/database-error.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import type { RunSession } from "../inputs/run-session.ts";
import type { RunLog } from "../lease/run-log.ts";
import { syncingMemory } from "../memory/syncing-memory.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import { maskingSecrets } from "./masking-secrets.ts";
import { tellingFailures } from "./telling-failures.ts";

/** What the turns of all sessions share. */
export interface TurnParts {
  /** Null when the installation does not have the agent's model. */
  model(agent: SessionAgent): Model | null;
  /** Takes the secrets of the session that were opened out of a text. */
  mask(text: string): string;
  /** Reads a file that a message names. */
  fileContent: ReadFile;
  /** Shows what the model is writing to whoever asked for it. */
  previews: Pick<SessionHub["previews"], "show" | "end">;
  log: Logger;
}

export interface TurnOptions {
  session: RunSession;
  log: RunLog;
  workspace: SessionWorkspace;
  /** The log has the `session.status_running` of this turn: a former run was cut off in it. */
  resumed: boolean;
}

export interface RunningTurn {
  /** Ends the turn as cancelled, wherever it is; with `LeaseLost`, without a word in the log. */
  abort(reason?: LeaseLost): void;
  /** Resolves when the session is idle again; rejects with `LeaseLost`, or when the database is away. */
  readonly ended: Promise<void>;
}

/** A turn that has not ended so long after it was aborted is given up. */
const STUCK_MS = 5_000;

export function startTurn(parts: TurnParts, options: TurnOptions): RunningTurn {
  const interrupt = new AbortController();
  return {
    abort: (reason) => interrupt.abort(reason ?? new DOMException("The turn was interrupted.", "AbortError")),
    ended: takeTurn(parts, options, interrupt.signal),
  };
}

async function takeTurn(parts: TurnParts, options: TurnOptions, signal: AbortSignal): Promise<void> {
  const { log, session, workspace, resumed } = options;
  try {
    if (!resumed) await log.appendRunning();
    const model = parts.model(session.agent);
    if (model === null) {
      return await fail(log, "model_not_found_error", `There is no model '${session.agent.model.id}' here.`);
    }
    const stop = await runWith(model, parts, options, signal);
    await workspace.collectOutputs(resumed, signal);
    await log.appendIdle([idle(stop)]);
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof DatabaseUnavailableError) throw error;
    parts.log.error({ err: error, session: session.id }, "a turn failed");
    await fail(log, "unknown_error", "The turn was ended by a fault of the service.");
  }
}

async function runWith(
  model: Model,
  { mask, fileContent, previews }: TurnParts,
  { session, workspace, log, resumed }: TurnOptions,
  signal: AbortSignal,
): Promise<StopReason> {
  const run = async () => {
    if (resumed) await workspace.memory.catchUp(() => workspace.sandbox(signal), signal);
    // What a former run has left on the disk may hold the session's secrets: they are known before anything is read there.
    await workspace.environment().catch(() => undefined);
    const own = syncingMemory(toolset(session.agent), workspace.memory);
    const tools = [...own, ...(await workspace.mcpTools(signal))];
    return await runTurn({
      agent: session.agent,
      workspaceDescription: await workspace.surroundings(),
      model,
      tools: maskingSecrets(tellingFailures(tools, workspace), mask),
      log: await log.forTurn(),
      readFile: fileContent,
      preview: (piece) => previews.show(session.id, piece),
      sleep,
      sandbox: () => workspace.sandbox(signal),
      environment: workspace.environment,
      signal,
    });
  };
  return await unlessStuck(run(), signal).finally(() => previews.end(session.id));
}

/**
 * The messages and answers that wait are processed by the error: another turn for them would end in the same way. A call that
 * was allowed has its result before, so that it is not taken for one that began.
 */
async function fail(log: RunLog, type: SessionErrorType, message: string): Promise<void> {
  const unrun = await unrunCalls(log);
  if (unrun.length > 0) await log.append(unrun);
  const error = { type, message, retry_status: { type: "terminal" as const } };
  await log.appendTakingInputs([{ event: { type: "session.error", error } }]);
  await log.appendIdle([idle({ type: "retries_exhausted" })]);
}

/** None where the log itself is at fault: the turn has to end all the same. */
async function unrunCalls(log: RunLog): Promise<Draft[]> {
  const { entries } = await log.forTurn();
  try {
    return unstartedCallResults(entries);
  } catch {
    return [];
  }
}

/** An aborted turn has moments to end; one that rejects because it was aborted is cancelled. */
async function unlessStuck(turn: Promise<StopReason>, signal: AbortSignal): Promise<StopReason> {
  const stuck = Promise.withResolvers<never>();
  stuck.promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => stuck.reject(new Error("The turn did not end after it was aborted.")), STUCK_MS);
  };
  if (signal.aborted) arm();
  else signal.addEventListener("abort", arm, { once: true });
  try {
    return await Promise.race([turn, stuck.promise]);
  } catch (error) {
    if (error === signal.reason && !(error instanceof LeaseLost)) return { type: "cancelled" };
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", arm);
  }
}

export function idle(stop_reason: StopReason): Draft {
  return { event: { type: "session.status_idle", stop_reason } };
}
