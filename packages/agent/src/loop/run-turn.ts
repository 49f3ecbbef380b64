import type { StopReason } from "@berth/contract";
import { authorizeCall, awaitsClient, type TurnTools } from "../calls/authorize-call.ts";
import { type AnnouncedCall, runCalls } from "../calls/run-calls.ts";
import { cancelledCallResults, endedCallResults } from "../calls/unrun-calls.ts";
import { callKind, isToolUse } from "../history/call-events.ts";
import type { History } from "../history/history.ts";
import { type Log, throwIfLeaseLost } from "../history/log.ts";
import type { ReadFile } from "../history/message-files.ts";
import { TurnLog } from "../history/turn-log.ts";
import { Compaction } from "../requests/compaction.ts";
import { type ContextWindow, contextWindowOf } from "../requests/context-window.ts";
import { requestEnd } from "../requests/request-events.ts";
import { responseDrafts } from "../requests/response-drafts.ts";
import { type OnPreview, ResponsePreview, type TextStreams } from "../requests/response-preview.ts";
import type { FinishedResponse } from "../requests/send-request.ts";
import { type RequestOptions, requestPrefix, type TurnEnd, TurnRequests } from "../requests/turn-requests.ts";
import { customTools } from "../tools/custom-tools.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";

const DEFAULT_MAX_REQUESTS = 500;
const MAX_TRUNCATED_IN_A_ROW = 3;

/** Everything that a turn needs. */
export interface Turn extends ToolContext, RequestOptions {
  /** What is mounted where, and other facts of the session, for the system prompt. The same text for the whole session. */
  workspaceDescription: string;
  tools: readonly Tool[];
  log: Log;
  /** Reads a file that a message refers to. */
  readFile: ReadFile;
  /** Receives the response while it streams, for followers. Its pieces are not stored, and it is not awaited. */
  preview?: OnPreview;
  /** Called when the first part of a response has arrived, with the id of the request's `span.model_request_start`. */
  onFirstPart?: (requestId: string) => void;
  /** What each text of a response goes through before it is previewed. Default: it stays as it is. */
  previewStream?: TextStreams;
  /** Model requests in one turn of an agent that does not say it itself. Default 500. */
  maxRequests?: number;
}

/**
 * Runs one turn: model requests and tool calls until the model stops, the signal is aborted, or it cannot go on. Appends
 * everything it does; the caller appends `session.status_running` before and `session.status_idle` after it.
 *
 * Its only state is the log. After a crash it continues from the log: calls that were started and have no result are
 * reported to the model as interrupted and never run again. When no response is due and no message is pending, it ends
 * without a request.
 *
 * Calls that wait for a client, for a confirmation or the result of a custom tool, block the next request and nothing else:
 * the other calls of the response run, and so do those that are confirmed. No request starts before each call has its result.
 *
 * Resolves with:
 * - `end_turn`: the model is done, and no message is pending.
 * - `requires_action`: calls wait for a client; `event_ids` are the events that announced them.
 * - `cancelled`: the signal was aborted, or the newest input is an interrupt. Requests and calls in progress have their end
 *   in the log.
 * - `retries_exhausted`: the model failed four times in a row, or was overloaded for as long as `busyRetryMs`, or failed in a way
 *   that a retry cannot fix (then the `session.error` before it is `terminal`).
 * - `refusal`: the model refused.
 * - `max_turns`: the turn had responses to as many requests as the agent's `max_model_requests` or `maxRequests` says, or three responses in a row reached the output limit.
 *
 * Rejects with `LeaseLost` when an append does or when the signal aborts with it, and does nothing more. Rejects otherwise
 * only when the log fails.
 */
export async function runTurn(turn: Turn): Promise<StopReason> {
  const run = new TurnRun(turn);
  const end = await run.recover();
  if (end !== null) return { type: end };
  for (;;) {
    throwIfLeaseLost(turn.signal);
    const waiting = await run.settleCalls();
    // Aborted while it looked for replies: these calls end as well.
    if (turn.signal.aborted && waiting.length > 0) continue;
    if (turn.signal.aborted) return { type: "cancelled" };
    if (waiting.length > 0) return { type: "requires_action", event_ids: waiting };
    const end = await run.step();
    if (end !== null) return { type: end };
  }
}

class TurnRun {
  readonly #turn: Turn;
  readonly #log: TurnLog;
  readonly #tools: TurnTools;
  readonly #window: ContextWindow;
  readonly #requests: TurnRequests;
  readonly #compaction: Compaction;
  #truncatedInARow = 0;

  constructor(turn: Turn) {
    this.#turn = turn;
    // The agent's window, not the model's: the history's bytes stay the same when another model continues the session.
    this.#log = new TurnLog(turn.log, turn.agent.model.effective_context_window);
    this.#tools = { tools: turn.tools, custom: customTools(turn.agent) };
    this.#window = contextWindowOf(turn.model, turn.agent.model.effective_context_window);
    const prefix = requestPrefix(turn.agent, turn.workspaceDescription, this.#tools);
    this.#requests = new TurnRequests(turn, this.#log, prefix);
    this.#compaction = new Compaction(prefix, this.#window);
  }

  /** Ends the calls and the request that a dead process left open, and waits for the retry that it waited for. */
  async recover(): Promise<TurnEnd> {
    const history = this.#log.history();
    const drafts = endedCallResults(history.openCalls);
    if (history.openRequest !== null) drafts.push(requestEnd(history.openRequest, null));
    if (drafts.length > 0) await this.#log.append(drafts);
    return await this.#requests.resume(history);
  }

  /**
   * Runs the calls that clients confirmed and ends those that they denied, until no reply is pending; when the turn is aborted,
   * ends all open calls. Returns the ids of the calls that wait for a client.
   */
  async settleCalls(): Promise<string[]> {
    for (;;) {
      const { openCalls } = this.#log.history();
      if (openCalls.length === 0 && !this.#log.hasClientReplies()) return [];
      if (this.#turn.signal.aborted) {
        await this.#cancelCalls();
        return [];
      }
      const taken = await this.#log.takeClientReplies();
      if (taken.length === 0) return openCalls.map((call) => call.eventId);
      await this.#applyReplies();
    }
  }

  /** What a client answered before the turn was aborted is the result of its call. */
  async #cancelCalls(): Promise<void> {
    if (this.#log.history().openCalls.some(({ state }) => state === "waiting"))
      await this.#log.takeClientReplies();
    const { openCalls } = this.#log.history();
    if (openCalls.length > 0) await this.#log.append(cancelledCallResults(openCalls));
  }

  /** The calls in state `started` were confirmed just now: those of a dead process ended in `recover`. */
  async #applyReplies(): Promise<void> {
    const { openCalls } = this.#log.history();
    const ended = endedCallResults(openCalls.filter((call) => call.state !== "started"));
    if (ended.length > 0) await this.#log.append(ended);
    const started = openCalls.filter((call) => call.state === "started");
    await this.#runCalls(
      started.map((call) => ({ ...call, decision: authorizeCall(call, this.#turn.agent, this.#tools) })),
    );
  }

  /** One request and the calls of its response. Null: the turn continues. */
  async step(): Promise<TurnEnd> {
    const before = this.#log.history();
    const idle = !before.responseDue || before.interrupted;
    if (idle && !(await this.#log.hasInputs())) return before.interrupted ? "cancelled" : "end_turn";
    if (before.responses >= this.#maxRequests()) return "max_turns";
    const start = await this.#requests.start();
    await this.#log.loadFiles(this.#turn.readFile);
    const history = this.#log.history();
    if (!history.responseDue || history.interrupted) return await this.#abandon(start);
    return this.#compaction.isDue(history)
      ? await this.#summarise(start, history)
      : await this.#request(start, history);
  }

  #maxRequests(): number {
    return this.#turn.agent.max_model_requests ?? this.#turn.maxRequests ?? DEFAULT_MAX_REQUESTS;
  }

  async #request(start: string, history: History): Promise<TurnEnd> {
    const preview = new ResponsePreview(start, this.#turn.preview ?? (() => {}), this.#turn.previewStream);
    let isFirst = true;
    const outcome = await this.#requests.send(history, history.messages, (part) => {
      if (isFirst) this.#turn.onFirstPart?.(start);
      isFirst = false;
      preview.add(part);
    });
    if (outcome.type === "aborted") return await this.#requests.abandon(start, "cancelled");
    if (outcome.type === "failed") {
      const overflow = outcome.error.kind === "context_overflow" && !history.compacted;
      if (!overflow) return await this.#requests.fail(start, outcome.error, history);
      this.#compaction.force();
      return await this.#requests.abandon(start, null);
    }
    return await this.#takeResponse(start, outcome, preview);
  }

  async #takeResponse(start: string, response: FinishedResponse, preview: ResponsePreview): Promise<TurnEnd> {
    const { drafts, decisions } = responseDrafts(start, response, this.#turn.agent, this.#tools, preview);
    const entries = await this.#log.append(drafts);
    const uses = entries.map((entry) => entry.event).filter(isToolUse);
    const calls = uses.flatMap((use, index) => {
      const decision = decisions[index];
      return decision === undefined || awaitsClient(decision)
        ? []
        : [{ eventId: use.id, kind: callKind(use), decision }];
    });
    await this.#runCalls(calls);
    if (response.reason === "refusal") return "refusal";
    if (response.reason !== "max_tokens") {
      this.#truncatedInARow = 0;
      return null;
    }
    this.#truncatedInARow += 1;
    return this.#truncatedInARow < MAX_TRUNCATED_IN_A_ROW ? null : "max_turns";
  }

  async #runCalls(calls: readonly AnnouncedCall[]): Promise<void> {
    await runCalls(calls, this.#log, this.#turn, this.#window.size);
  }

  async #summarise(start: string, history: History): Promise<TurnEnd> {
    const outcome = await this.#requests.send(history, this.#compaction.summaryMessages(history));
    if (outcome.type === "aborted") return await this.#requests.abandon(start, "cancelled");
    if (outcome.type === "failed") {
      return this.#compaction.canRetry(outcome.error)
        ? await this.#requests.abandon(start, null)
        : await this.#requests.fail(start, outcome.error, history);
    }
    await this.#log.append(this.#compaction.drafts(start, history, outcome));
    return null;
  }

  /** The inputs need no response: the newest is an interrupt, or there is no message. */
  async #abandon(start: string): Promise<TurnEnd> {
    const { interrupted } = this.#log.history();
    return await this.#requests.abandon(start, interrupted ? "cancelled" : "end_turn");
  }
}
