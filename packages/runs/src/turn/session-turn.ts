import {
  type Draft,
  type Explorer,
  explorer,
  type GapParts,
  LeaseLost,
  type Log,
  type Model,
  type ReadFile,
  runTurn,
  type Spending,
  type SummaryTime,
  type TextStream,
  type Turn,
  unstartedCallResults,
} from "@berth/agent";
import { sleep } from "@berth/concurrency";
import { formatId, type SessionErrorType, type StopReason } from "@berth/contract";
import { DatabaseUnavailableError, databaseNow } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import type { MaskStream } from "../call-outputs/masked-output.ts";
import type { OutputStore } from "../call-outputs/output-store.ts";
import { TurnOutputs } from "../call-outputs/turn-outputs.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { SessionWorkspace } from "../workspace/session-workspace.ts";
import { prepareTurn } from "./prepare-turn.ts";
import type { TurnSlot } from "./turn-slot.ts";
import { exploreTools } from "./turn-tools.ts";

/** Collaborators that the turns of all sessions share. */
export interface TurnDeps extends Pick<Turn, "busyRetryMs" | "maxRequests"> {
  /** Returns the model, or null for an unknown one. The window is in tokens; default: the model's own. */
  model(agent: { model: { id: string; effective_context_window?: number } }): Model | null;
  /** Masks the secrets of the session that were unsealed so far. */
  mask(text: string): string;
  /** Creates a mask for a text that arrives in pieces. */
  maskStream(): TextStream & MaskStream;
  /** Reads a file that a message names. */
  readFile: ReadFile;
  /** Delivers the model's text while it is written, and output of commands, to followers that want it. */
  previews: Pick<SessionHub["previews"], "publish" | "end" | "beginOutput" | "outputChanged">;
  log: Logger;
}

export interface TurnOptions {
  log: RunLog;
  workspace: SessionWorkspace;
  /** Stores the output of calls, for the process that continues the turn when this one dies. */
  outputs: OutputStore;
  slot: Pick<TurnSlot, "lend" | "awaitSandbox">;
  /** Whether a former run was interrupted in this turn, or the turn waited for its host. */
  resumed: boolean;
  /** Returns the agent's model as the session uses it. */
  watched(model: Model): Model;
  /** Holds all requests, also those of Explore, to budgets. */
  spending: Spending;
  /** Called when the first part of a response has arrived, with the id of the request's event. */
  onFirstPart(requestId: string): void;
  /** As `Turn.onGap`. */
  onGap(parts: GapParts): void;
  /** Whether the log already says that the session runs. */
  isAnnounced: boolean;
}

const NOT_BEGUN =
  "the service was restarted while this call waited for the sandbox, so nothing of it was run; make the call again if it is still needed.";
/** Milliseconds that a turn may take to end after it was aborted. */
const STUCK_MS = 5_000;

/** One turn: the agent's loop from `session.status_running` to `session.status_idle`. Starts at once. */
export class SessionTurn {
  /** Resolves when the session is idle. Rejects with `LeaseLost`, or when the database is unavailable. */
  readonly ended: Promise<void>;
  readonly #deps: TurnDeps;
  readonly #options: TurnOptions;
  readonly #interrupt = new AbortController();
  /** Whether it waits for the retry of a request, and does nothing else. */
  #onlyWaits = false;
  #leavesWait = false;
  /** Rejects when calls that wait for the sandbox's place must not begin. */
  readonly #leaving = Promise.withResolvers<never>();
  readonly #fault = Promise.withResolvers<never>();
  #summary: SummaryTime | null = null;
  /** Whether an uncaught error left the sandbox in an unknown state. */
  #isFaulty = false;

  constructor(deps: TurnDeps, options: TurnOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#fault.promise.catch(() => undefined);
    this.#leaving.promise.catch(() => undefined);
    this.ended = this.#run();
  }

  /** Ends the turn as cancelled, wherever it is. With `LeaseLost` nothing more is appended. */
  abort(reason?: LeaseLost): void {
    this.#interrupt.abort(reason ?? new DOMException("The turn was interrupted.", "AbortError"));
  }

  /**
   * Ends waits because the process stops. A turn that only waits to retry its model request ends with nothing
   * lost: another process continues the wait from the log. Calls that wait for the sandbox's place end
   * without having begun. Other work continues.
   */
  leaveWait(): void {
    this.#leavesWait = true;
    if (this.#options.workspace.waitsForPlace()) this.#leaving.reject(new Error(NOT_BEGUN));
    if (this.#onlyWaits) this.abort(new LeaseLost());
  }

  async #wait(waiting: () => Promise<void>): Promise<void> {
    this.#onlyWaits = true;
    if (this.#leavesWait) this.abort(new LeaseLost());
    try {
      await waiting();
    } finally {
      this.#onlyWaits = false;
    }
  }

  /** Ends the turn with an error, wherever it is, after an uncaught error. */
  fail(error: unknown): void {
    this.#isFaulty = true;
    this.#fault.reject(error);
  }

  async #run(): Promise<void> {
    try {
      await Promise.race([this.#runToEnd(), this.#fault.promise]);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof DatabaseUnavailableError) throw error;
      this.#deps.log.error({ err: error }, "a turn failed");
      await this.#endFailed();
    }
  }

  /** Ends a failed turn in the log. Parts of it that still run can append nothing. */
  async #endFailed(): Promise<void> {
    const { log, workspace } = this.#options;
    this.abort(new LeaseLost());
    if (this.#isFaulty)
      workspace
        .close()
        .catch((err: unknown) => this.#deps.log.warn({ err }, "a sandbox could not be closed"));
    await fail(log, "unknown_error", "A fault of the service ended the turn.");
  }

  async #runToEnd(): Promise<void> {
    const { log, workspace, resumed, isAnnounced } = this.#options;
    const { id, agent } = workspace.session;
    const { signal } = this.#interrupt;
    if (!isAnnounced) await log.appendRunning();
    const model = this.#deps.model(agent);
    if (model === null) {
      return await fail(log, "model_not_found_error", `This installation has no model '${agent.model.id}'.`);
    }
    const { previews, maskStream, log: logger } = this.#deps;
    const outputs = new TurnOutputs({
      sessionId: id,
      store: this.#options.outputs,
      previews,
      newMask: maskStream,
      log: logger,
    });
    let isOver = false;
    const loop = unlessStuck(this.#runLoop(model, outputs, signal), signal);
    const stop = await loop
      .then((reason) => {
        isOver = true;
        return reason;
      })
      .finally(async () => {
        previews.end(id);
        await outputs.close(!isOver);
      });
    await workspace.collectOutputs(resumed, signal);
    const used = workspace.session.hasBudget ? await log.usage() : [];
    await log.appendIdle(
      [...used, idle(stop)],
      this.#summary === null ? null : this.#summary.at - databaseNow(),
    );
  }

  async #runLoop(model: Model, outputs: TurnOutputs, signal: AbortSignal): Promise<StopReason> {
    const { maskStream, readFile, previews, busyRetryMs, maxRequests } = this.#deps;
    const { workspace, slot, log, resumed } = this.#options;
    const { id, agent } = workspace.session;
    const opened = () => Promise.race([workspace.sandbox(signal), this.#leaving.promise]);
    const sandbox = () => slot.awaitSandbox(opened, signal);
    if (resumed) await workspace.memory.catchUp(sandbox, signal);
    return await runTurn({
      agent,
      model: this.#options.watched(model),
      spending: this.#options.spending,
      ...(await this.#prepare(signal)),
      log: telling(await log.forTurn(), workspace),
      readFile,
      confirmationRules: async () =>
        (await log.confirmationRules()).map((rule) => ({
          ...rule,
          id: formatId("confirmation_rule", rule.id),
        })),
      preview: (piece) => previews.publish(id, piece),
      previewStream: maskStream,
      outputs,
      onFirstPart: this.#options.onFirstPart,
      onGap: this.#options.onGap,
      onPause: (summary) => {
        this.#summary = summary;
      },
      sleep: (milliseconds) => this.#wait(() => slot.lend(() => sleep(milliseconds, signal), signal)),
      now: databaseNow,
      ...(busyRetryMs !== undefined && { busyRetryMs }),
      ...(maxRequests !== undefined && { maxRequests }),
      sandbox,
      hasSandbox: () => workspace.hasSandbox(),
      environment: () => workspace.environment(),
      secrets: () => workspace.secrets(),
      explorer: this.#explorer(sandbox),
      signal,
    });
  }

  /** Creates the explorer. Its waits do not count as waits of the turn, since other calls run beside it. */
  #explorer(sandbox: Turn["sandbox"]): Explorer {
    const { model, mask, busyRetryMs } = this.#deps;
    const { workspace } = this.#options;
    return explorer({
      agent: workspace.session.agent,
      tools: exploreTools(workspace, mask),
      model: (choice) => model({ model: choice }),
      spending: this.#options.spending,
      sandbox,
      hasSandbox: () => workspace.hasSandbox(),
      environment: () => workspace.environment(),
      secrets: () => workspace.secrets(),
      sleep,
      now: databaseNow,
      ...(busyRetryMs !== undefined && { busyRetryMs }),
    });
  }

  /** Prepares requests. Returns nothing after an abort, when the loop only ends the open calls. */
  async #prepare(signal: AbortSignal): Promise<Pick<Turn, "workspaceDescription" | "tools">> {
    const { workspace } = this.#options;
    try {
      return await prepareTurn(workspace, this.#deps.mask, signal);
    } catch (error) {
      if (error !== signal.reason || error instanceof LeaseLost) throw error;
      return NOTHING;
    }
  }
}

/** Empty preparations for a loop that was aborted, which begins no requests. */
const NOTHING = { workspaceDescription: "", tools: [] };

/** Returns the log with appends reported to the workspace. */
function telling(log: Log, workspace: SessionWorkspace): Log {
  const told = async (drafts: readonly Draft[], append: Log["append"]) => {
    const entries = await append(drafts);
    await workspace.appended(drafts);
    return entries;
  };
  return {
    ...log,
    append: (drafts) => told(drafts, log.append),
    appendTakingInputs: (drafts) => told(drafts, log.appendTakingInputs),
  };
}

/**
 * Ends the turn with an error. It also processes the waiting messages and replies, since another turn for
 * them would end in the same way. A call that was allowed gets its result first, else it would seem to have
 * begun.
 */
async function fail(log: RunLog, type: SessionErrorType, message: string): Promise<void> {
  const results = await resultsOfUnstarted(log);
  if (results.length > 0) await log.append(results);
  const error = { type, message, retry_status: { type: "terminal" as const } };
  await log.appendTakingInputs([{ event: { type: "session.error", error } }]);
  await log.appendIdle([idle({ type: "retries_exhausted" })]);
}

/**
 * Returns results of calls that never began. Returns none when the log itself cannot be folded, since the
 * turn must end all the same.
 */
async function resultsOfUnstarted(log: RunLog): Promise<Draft[]> {
  const { copy } = await log.forTurn();
  try {
    return unstartedCallResults(copy.entries);
  } catch {
    return [];
  }
}

/** Rejects when the loop does not end soon after an abort. Returns `cancelled` when the abort ended it. */
async function unlessStuck(loop: Promise<StopReason>, signal: AbortSignal): Promise<StopReason> {
  const stuck = Promise.withResolvers<never>();
  stuck.promise.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    timer = setTimeout(() => stuck.reject(new Error("The turn did not end after it was aborted.")), STUCK_MS);
  };
  if (signal.aborted) arm();
  else signal.addEventListener("abort", arm, { once: true });
  try {
    return await Promise.race([loop, stuck.promise]);
  } catch (error) {
    if (error === signal.reason && !(error instanceof LeaseLost)) return { type: "cancelled" };
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", arm);
  }
}

/** Returns the event that ends a turn. */
export function idle(stop_reason: StopReason): Draft {
  return { event: { type: "session.status_idle", stop_reason } };
}
