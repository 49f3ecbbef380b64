import type { BudgetScope, StopReason } from "@berth/contract";
import type { Announce } from "../calls/announcement.ts";
import { authorizeCall, awaitsClient, type TurnTools } from "../calls/authorize-call.ts";
import { type DecidedCall, runCalls } from "../calls/run-calls.ts";
import { cancelledCallResults, endedCallResults, endedPartResults } from "../calls/unrun-calls.ts";
import { type History, tokensOf } from "../history/history.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { Draft } from "../history/log-entry.ts";
import { TurnLog } from "../history/turn-log.ts";
import { ModelError } from "../models/model.ts";
import { compactionDraft, summaryMessages, summaryOf } from "../requests/compaction.ts";
import { isCompactionDue } from "../requests/compaction-point.ts";
import { exceedsWindow } from "../requests/context-window.ts";
import { LearnedWindow } from "../requests/learned-window.ts";
import { Remedies, type Sendable } from "../requests/remedies.ts";
import { endedPartRequests, errorEvent, failedRequestEnd, requestEnd } from "../requests/request-events.ts";
import { asksFor, responseDrafts } from "../requests/response-drafts.ts";
import { ResponsePreview } from "../requests/response-preview.ts";
import type { FinishedResponse } from "../requests/send-request.ts";
import { requestPrefix, type TurnEnd, TurnRequests } from "../requests/turn-requests.ts";
import { customTools } from "../tools/custom-tools.ts";
import { GapClock } from "./gap-clock.ts";
import { idleSummaryTime } from "./idle-summary.ts";
import type { SummaryTime, Turn } from "./turn.ts";

const DEFAULT_MAX_REQUESTS = 500;
const MAX_TRUNCATED_IN_A_ROW = 3;
const MAX_THOUGHTS_IN_A_ROW = 2;
const NO_ANSWER = new ModelError(
  "request_failed",
  "The model ended its answer after thinking, without a text or a tool call.",
  { retryable: true },
);

/**
 * Runs one turn: model requests and tool calls until the model stops, the signal is aborted, or the turn
 * cannot continue. Appends everything it does; the caller appends `session.status_running` before and
 * `session.status_idle` after it.
 *
 * Its only state is the log. After a crash it continues from the log: calls that were started and have no
 * result are reported to the model as interrupted and never run again. When no response is due and no message
 * is pending, it ends without a request.
 *
 * Calls may wait for a client: for a confirmation, or for the result of a custom tool. The other calls of the
 * response run meanwhile, and so do those that are confirmed. No request starts before each call has its
 * result.
 *
 * Resolves with:
 * - `end_turn`: the model is done, and no message is pending.
 * - `requires_action`: calls wait for a client; `event_ids` are the events that announced them.
 * - `cancelled`: the signal was aborted, or the newest input is an interrupt. Requests and calls in progress
 *   have their end in the log.
 * - `retries_exhausted`: the model failed four times in a row, thought twice without an answer, or was
 *   overloaded for `busyRetryMs`. Also when a retry cannot fix the failure; the `session.error` before it is
 *   then `terminal`.
 * - `refusal`: the model refused.
 * - `budget_reached`: the budget of `scope` has too little left for the next request. When it has more, the
 *   turn continues from the log.
 * - `max_turns`: the turn reached its limit of requests (the agent's `max_model_requests`, else
 *   `maxRequests`) or of tokens (`maxTokens`), or three responses in a row reached the output limit.
 *
 * Rejects with `LeaseLost` when an append does or when the signal aborts with it, and does nothing more.
 * Rejects otherwise only when the log fails.
 */
export async function runTurn(turn: Turn): Promise<StopReason> {
  const run = new TurnRun(turn);
  const end = await run.recover();
  if (end !== null) return run.stopReason(end);
  for (;;) {
    throwIfLeaseLost(turn.signal);
    if (!run.hasBegun) {
      const waiting = await run.settleCalls();
      // The turn was aborted while replies were read: the next pass ends these calls as well.
      if (turn.signal.aborted && waiting.length > 0) continue;
      if (turn.signal.aborted) return { type: "cancelled" };
      if (waiting.length > 0) return { type: "requires_action", event_ids: waiting };
    }
    const end = await run.step();
    if (end === "end_turn") turn.onPause?.(run.summaryTime());
    if (end !== null) return run.stopReason(end);
  }
}

class TurnRun {
  readonly #turn: Turn;
  readonly #log: TurnLog;
  readonly #tools: TurnTools;
  readonly #window: LearnedWindow;
  readonly #requests: TurnRequests;
  readonly #remedies: Remedies;
  readonly #gap: GapClock;
  #truncatedInARow = 0;
  /** Set when the model wrote no summary although the window had room; it is not asked again in this turn. */
  #isCarriedOn = false;
  #thoughtsInARow = 0;
  /** The budget that ended the turn. */
  #reached: BudgetScope = "session";
  /** Id of the next request's start when that is already in the log. */
  #begun: string | null = null;

  constructor(turn: Turn) {
    this.#turn = turn;
    // The agent's window counts, not the model's: the history's bytes stay the same when another model
    // continues the session.
    this.#log = new TurnLog(turn.log, turn.agent.model.effective_context_window);
    this.#tools = { tools: turn.tools, custom: customTools(turn.agent) };
    this.#window = new LearnedWindow(turn.model, turn.agent.model.effective_context_window);
    const prefix = turn.prefix ?? requestPrefix(turn.agent, turn.workspaceDescription, this.#tools);
    this.#requests = new TurnRequests(turn, this.#log);
    this.#gap = new GapClock(turn.onGap);
    this.#remedies = new Remedies(prefix, this.#window, foreignToolNames(this.#tools));
  }

  stopReason(end: NonNullable<TurnEnd>): Exclude<StopReason, { type: "requires_action" }> {
    return end === "budget_reached" ? { type: end, scope: this.#reached } : { type: end };
  }

  /** Returns when the session should be summarised if nobody answers; null when it should not. */
  summaryTime(): SummaryTime | null {
    const history = this.#log.history();
    const { prefix } = this.#remedies.sendable(history);
    return idleSummaryTime(this.#turn, prefix, history, this.#turn.log.copy.entries);
  }

  /** Ends the calls and the request that a dead process left open, and waits for a scheduled retry. */
  async recover(): Promise<TurnEnd> {
    const history = this.#log.history();
    const started = history.openCalls.filter(({ state }) => state === "started");
    const ids = started.map(({ eventId }) => eventId);
    const printed = ids.length === 0 ? undefined : await this.#turn.outputs?.ofDead(ids);
    const drafts = [
      ...endedPartRequests(history.openParts),
      ...endedPartResults(history.openParts),
      ...endedCallResults(history.openCalls, printed),
    ];
    if (history.openRequest !== null) drafts.push(requestEnd(history.openRequest, null));
    if (drafts.length > 0) await this.#log.append(drafts);
    return await this.#requests.resume(history);
  }

  /**
   * Runs the calls that clients confirmed and ends those that they denied, until no reply is pending. When
   * the turn is aborted, ends all open calls. Returns the ids of the events of calls that wait for a client.
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

  /** Cancels the open calls, but uses the results that clients sent before the turn was aborted. */
  async #cancelCalls(): Promise<void> {
    if (this.#log.history().openCalls.some(({ state }) => state === "waiting"))
      await this.#log.takeClientReplies();
    const { openCalls } = this.#log.history();
    if (openCalls.length > 0) await this.#log.append(cancelledCallResults(openCalls));
  }

  /**
   * Runs or ends the calls that replies decided. Calls in state `started` were just confirmed: `recover` has
   * ended those of a dead process.
   */
  async #applyReplies(): Promise<void> {
    const { openCalls } = this.#log.history();
    const ended = endedCallResults(openCalls.filter((call) => call.state !== "started"));
    if (ended.length > 0) await this.#log.append(ended);
    const started = openCalls.filter((call) => call.state === "started");
    const calls = started.map((call) => ({
      ...call,
      decision: authorizeCall(call, this.#turn.agent, this.#tools),
    }));
    await this.#runCalls(calls, null);
  }

  /** Whether the start of the next request is in the log. Every call has its result then. */
  get hasBegun(): boolean {
    return this.#begun !== null;
  }

  /** Sends one request and runs the calls of its response. Returns null when the turn continues. */
  async step(): Promise<TurnEnd> {
    const begun = this.#begun;
    this.#begun = null;
    if (begun !== null) return await this.#goOn(begun);
    this.#gap.giveUp();
    const before = this.#log.history();
    const idle = !before.responseDue || before.interrupted;
    if (idle && !(await this.#log.hasInputs())) return before.interrupted ? "cancelled" : "end_turn";
    if (this.#isSpent(before)) return "max_turns";
    return await this.#goOn(await this.#requests.start());
  }

  /** Continues with a request whose start is in the log. */
  async #goOn(start: string): Promise<TurnEnd> {
    await this.#log.loadFiles(this.#turn.readFile);
    const history = this.#log.history();
    this.#gap.end("fold");
    if (!history.responseDue || history.interrupted) return await this.#abandon(start);
    const sent = this.#remedies.sendable(history);
    return (this.#remedies.summarises ?? (this.#isFull(history, sent) || this.#isDue(history, sent)))
      ? await this.#summarise(start, history, sent)
      : await this.#request(start, history, sent);
  }

  #isFull(history: History, { prefix }: Sendable): boolean {
    return exceedsWindow(history, prefix, this.#window.of(history));
  }

  #isDue(history: History, { prefix }: Sendable): boolean {
    const { agent, model } = this.#turn;
    if (this.#isCarriedOn) return false;
    return isCompactionDue(history, prefix, { prices: model.prices, compactAt: agent.model.compact_at });
  }

  /** Returns whether the turn has used all requests or tokens that it may. */
  #isSpent({ responses, tokens }: Pick<History, "responses" | "tokens">): boolean {
    const { agent, maxRequests = DEFAULT_MAX_REQUESTS, maxTokens = Number.POSITIVE_INFINITY } = this.#turn;
    return responses >= (agent.max_model_requests ?? maxRequests) || tokens >= maxTokens;
  }

  async #request(start: string, history: History, sent: Sendable): Promise<TurnEnd> {
    const preview = new ResponsePreview(start, this.#turn.preview ?? (() => {}), this.#turn.previewStream);
    let isFirst = true;
    let hasThought = false;
    const onSend = () => this.#gap.end("build");
    const outcome = await this.#requests.send(
      start,
      history,
      sent,
      (part) => {
        if (isFirst) this.#turn.onFirstPart?.(start);
        isFirst = false;
        hasThought ||= part.type === "thinking_started";
        preview.add(part);
      },
      onSend,
    );
    if (outcome.type === "aborted") return await this.#requests.abandon(start, "cancelled");
    if (outcome.type === "reached") return await this.#reach(start, outcome.scope);
    if (outcome.type === "failed") return await this.#fail(start, outcome.error, history, sent);
    if (hasThought && isThoughtAlone(outcome)) return await this.#endThought(start, outcome);
    return await this.#takeResponse(start, outcome, preview, this.#remedies.drafts(history, sent));
  }

  async #reach(start: string, scope: BudgetScope): Promise<TurnEnd> {
    this.#reached = scope;
    return await this.#requests.abandon(start, "budget_reached");
  }

  /** Asks the model once more after a response that has only thinking. */
  async #endThought(start: string, { usage }: FinishedResponse): Promise<TurnEnd> {
    this.#thoughtsInARow += 1;
    const end = failedRequestEnd(start, usage);
    if (this.#thoughtsInARow < MAX_THOUGHTS_IN_A_ROW) {
      await this.#log.append([end]);
      return null;
    }
    await this.#log.append([end, { event: errorEvent(NO_ANSWER, "exhausted") }]);
    return "retries_exhausted";
  }

  /** Omits the cause of a permanent rejection from the next request; other failures are retried unchanged. */
  async #fail(start: string, error: ModelError, history: History, sent: Sendable): Promise<TurnEnd> {
    if (this.#requests.isRetried(error, history) || !this.#remedies.isRejection(error, history, sent))
      return await this.#requests.fail(start, error, history);
    const end = this.#remedies.rejected(error, history, sent);
    if (end === null) return await this.#requests.abandon(start, null);
    return await this.#requests.fail(start, end, history);
  }

  async #takeResponse(
    start: string,
    response: FinishedResponse,
    preview: ResponsePreview,
    before: readonly Draft[],
  ): Promise<TurnEnd> {
    this.#gap.begin();
    const { agent, confirmationRules } = this.#turn;
    const asks = confirmationRules !== undefined && asksFor(response, agent, this.#tools);
    const rules = asks ? await confirmationRules() : [];
    const { drafts, calls } = responseDrafts(start, response, agent, this.#tools, preview, rules);
    const own = calls.filter(({ decision }) => !awaitsClient(decision));
    const next = () => (own.length === calls.length ? this.#beginNext(response) : null);
    await this.#runCalls(own, this.#announce([...before, ...drafts]), next);
    this.#gap.end("append_results");
    if (response.reason === "refusal") return "refusal";
    if (response.reason !== "max_tokens") {
      this.#truncatedInARow = 0;
      return null;
    }
    this.#truncatedInARow += 1;
    return this.#truncatedInARow < MAX_TRUNCATED_IN_A_ROW ? null : "max_turns";
  }

  /** Returns the append of a response. */
  #announce(drafts: readonly Draft[]): Announce {
    return async (results, start) => {
      await this.#log.appendWithStart([...drafts, ...results], start);
      this.#gap.end("append_response");
      this.#remedies.answered();
      this.#thoughtsInARow = 0;
    };
  }

  /** Returns the next request's start, to append with the last result; null when the turn may end there. */
  #beginNext(response: FinishedResponse): Draft | null {
    const { signal, log } = this.#turn;
    const history = this.#log.history();
    let { responses, tokens } = history;
    // The append that has the results will have the response, too.
    if (history.openRequest !== null) {
      responses += 1;
      tokens += tokensOf(response.usage);
      this.#gap.skip("append_response");
    }
    this.#gap.end("calls");
    if (signal.aborted || log.isEnding?.() || this.#isSpent({ responses, tokens })) return null;
    const draft = this.#requests.startDraft();
    this.#begun = draft.id;
    return draft;
  }

  async #runCalls(
    calls: readonly DecidedCall[],
    announce: Announce | null,
    next?: () => Draft | null,
  ): Promise<void> {
    const maxTextLength = () => this.#window.of(this.#log.history()).size;
    await runCalls(calls, announce, this.#log, this.#turn, maxTextLength, next);
  }

  async #summarise(start: string, history: History, sent: Sendable): Promise<TurnEnd> {
    const { messages, budget } = this.#remedies.toSummarise(history, sent);
    const request = { ...sent, ...summaryMessages(messages, budget) };
    const onSend = () => this.#gap.end("build");
    const outcome = await this.#requests.send(start, history, request, undefined, onSend);
    if (outcome.type === "aborted") return await this.#requests.abandon(start, "cancelled");
    if (outcome.type === "reached") return await this.#reach(start, outcome.scope);
    if (outcome.type === "failed") return await this.#fail(start, outcome.error, history, request);
    const summary = summaryOf(outcome);
    if (summary === null) {
      if (this.#isFull(history, sent) || this.#remedies.summarises) this.#remedies.noSummary(history, sent);
      else this.#isCarriedOn = true;
      await this.#log.append([failedRequestEnd(start, outcome.usage)]);
      return null;
    }
    const compaction = compactionDraft(summary, history, sent.prefix, budget, this.#window.news(history));
    await this.#log.append([
      ...this.#remedies.drafts(history, sent),
      requestEnd(start, outcome.usage),
      compaction,
    ]);
    this.#remedies.summarised();
    return null;
  }

  /** Abandons a request that is not needed: the newest input is an interrupt, or there is no message. */
  async #abandon(start: string): Promise<TurnEnd> {
    const { interrupted } = this.#log.history();
    return await this.#requests.abandon(start, interrupted ? "cancelled" : "end_turn");
  }
}

function isThoughtAlone({ blocks, reason }: FinishedResponse): boolean {
  return reason === "end_turn" && blocks.every(({ type }) => type === "thinking");
}

/** Returns the names of tools of MCP servers and of clients, whose definitions a provider may reject. */
function foreignToolNames({ tools, custom }: TurnTools): ReadonlySet<string> {
  const foreign = [...tools.filter((tool) => tool.mcp !== undefined), ...custom];
  return new Set(foreign.map(({ name }) => name));
}
