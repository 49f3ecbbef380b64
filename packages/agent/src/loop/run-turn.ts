import type { StopReason } from "@berth/contract";
import { authorizeCall, type Tools, waits } from "../calls/authorize-call.ts";
import { type AnnouncedCall, runCalls } from "../calls/run-calls.ts";
import { cancelledCallResults, endedCallResults } from "../calls/unrun-calls.ts";
import { callKind, isToolUse } from "../history/call-events.ts";
import { foldHistory } from "../history/fold-history.ts";
import type { History } from "../history/history.ts";
import type { Log } from "../history/log.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { ReadFile } from "../history/message-files.ts";
import { loadFiles } from "../history/message-files.ts";
import { TurnLog } from "../history/turn-log.ts";
import type { UserBlock } from "../models/model.ts";
import { Compaction } from "../requests/compaction.ts";
import { type ContextWindow, contextWindowOf } from "../requests/context-window.ts";
import { requestEnd } from "../requests/request-events.ts";
import { responseDrafts } from "../requests/response-drafts.ts";
import { type Preview, ResponsePreview } from "../requests/response-preview.ts";
import type { FinishedResponse } from "../requests/send-request.ts";
import { type RequestOptions, requestPrefix, type TurnEnd, TurnRequests } from "../requests/turn-requests.ts";
import { customTools } from "../tools/custom-tools.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";

const MAX_TRUNCATED_IN_A_ROW = 3;

/** Everything that a turn needs. */
export interface Turn extends ToolContext, RequestOptions {
  /** What is mounted where, and other facts of this session, as text for the system prompt; fixed for the session. */
  workspaceDescription: string;
  tools: readonly Tool[];
  log: Log;
  /** Reads a file that a message names; null when there is nothing to read any more. */
  readFile: ReadFile;
  /** Shown to followers, never stored. Never awaited. */
  preview?: Preview;
  /** Model requests in one turn, default 500. */
  maxRequests?: number;
}

/**
 * Runs one turn: model requests and tool calls until the model ends it, an interrupt aborts the signal, or it cannot go
 * on. Appends everything it does; the caller appends `session.status_running` and `session.status_idle` around it.
 *
 * It keeps nothing but the log. Called on the log of a turn that died anywhere, it goes on from there: calls that were
 * begun and have no result are told to the model as interrupted and never run again. When nothing is owed and no
 * message waits, it ends without a request.
 *
 * Calls that wait for a client, to be confirmed or for the result of its tool, hold up the next request and nothing else:
 * the others of the answer run, and those that are confirmed. No request starts before each call has its result.
 *
 * The answer:
 * - `end_turn`: the model is done, and no message waits.
 * - `requires_action`: calls wait for a client; `event_ids` are those of the events that announced them.
 * - `cancelled`: the signal aborted, or the newest input of the log is an interrupt. What was open has its end in the log.
 * - `retries_exhausted`: the model failed four times in a row, or in a way that a retry does not mend (then the
 *   `session.error` before it says `terminal`).
 * - `refusal`: the model refused.
 * - `max_turns`: the turn made `maxRequests` requests, or three answers in a row reached the output limit.
 *
 * Rejects with `LeaseLost`, having touched nothing since, when an append does or the signal aborts with it; otherwise
 * only when the log fails.
 */
export async function runTurn(turn: Turn): Promise<StopReason> {
  const run = new TurnRun(turn);
  await run.recover();
  for (;;) {
    throwIfLeaseLost(turn.signal);
    const waiting = await run.settleCalls();
    if (turn.signal.aborted) return { type: "cancelled" };
    if (waiting.length > 0) return { type: "requires_action", event_ids: waiting };
    const end = await run.step();
    if (end !== null) return { type: end };
  }
}

class TurnRun {
  readonly #turn: Turn;
  readonly #log: TurnLog;
  readonly #tools: Tools;
  readonly #window: ContextWindow;
  readonly #requests: TurnRequests;
  readonly #compaction: Compaction;
  readonly #files = new Map<string, UserBlock | null>();
  #truncatedInARow = 0;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.#log = new TurnLog(turn.log);
    this.#tools = { tools: turn.tools, custom: customTools(turn.agent) };
    this.#window = contextWindowOf(turn.model, turn.agent.model.effective_context_window);
    const prefix = requestPrefix(turn.agent, turn.workspaceDescription, this.#tools);
    this.#requests = new TurnRequests(turn, this.#log, prefix);
    this.#compaction = new Compaction(prefix, this.#window);
  }

  /** Ends what a dead process left open, before anything else happens. */
  async recover(): Promise<void> {
    const { openCalls, openRequest } = this.#history();
    const drafts = endedCallResults(openCalls);
    if (openRequest !== null) drafts.push(requestEnd(openRequest, null));
    if (drafts.length > 0) await this.#log.append(drafts);
  }

  /**
   * Runs what clients have allowed and ends what they have denied, until no answer waits; ends all of it when the turn is
   * aborted. Answers the ids of the calls that wait for a client.
   */
  async settleCalls(): Promise<string[]> {
    for (;;) {
      const { openCalls } = this.#history();
      if (openCalls.length === 0 && !this.#log.hasClientReplies()) return [];
      if (this.#turn.signal.aborted) {
        if (openCalls.length > 0) await this.#log.append(cancelledCallResults(openCalls));
        return [];
      }
      const taken = await this.#log.takeClientReplies();
      if (taken.length === 0) return openCalls.map((call) => call.eventId);
      await this.#runAnswered();
    }
  }

  /** What the log says to have begun was allowed just now: what a former process left was ended before. */
  async #runAnswered(): Promise<void> {
    const { openCalls } = this.#history();
    const refused = endedCallResults(openCalls.filter((call) => call.state !== "begun"));
    if (refused.length > 0) await this.#log.append(refused);
    const begun = openCalls.filter((call) => call.state === "begun");
    await this.#runCalls(
      begun.map((call) => ({ ...call, decision: authorizeCall(call, this.#turn.agent, this.#tools) })),
    );
  }

  /** One request and the calls of its answer. Null: the turn goes on. */
  async step(): Promise<TurnEnd> {
    const before = this.#history();
    const idle = !before.responseDue || before.interrupted;
    if (idle && !(await this.#log.hasInputs())) return before.interrupted ? "cancelled" : "end_turn";
    if (this.#requests.count >= (this.#turn.maxRequests ?? 500)) return "max_turns";
    const start = await this.#requests.start();
    await loadFiles(this.#log.entries, this.#files, this.#turn.readFile);
    const history = this.#history();
    if (!history.responseDue || history.interrupted) return await this.#leaveUnasked(start);
    return this.#compaction.isDue(history)
      ? await this.#summarise(start, history)
      : await this.#ask(start, history);
  }

  async #ask(start: string, history: History): Promise<TurnEnd> {
    const announced = new ResponsePreview(start, this.#turn.preview ?? (() => {}));
    const answer = await this.#requests.ask(history, history.messages, (part) => announced.take(part));
    if (answer.type === "aborted") return await this.#requests.abandon(start, "cancelled");
    if (answer.type === "failed") {
      const overflow = answer.error.kind === "context_overflow" && !history.compacted;
      if (!overflow) return await this.#requests.fail(start, answer.error);
      this.#compaction.demand();
      return await this.#requests.abandon(start, null);
    }
    this.#requests.succeed();
    return await this.#take(start, answer, announced);
  }

  async #take(start: string, answer: FinishedResponse, announced: ResponsePreview): Promise<TurnEnd> {
    const { drafts, decisions } = responseDrafts(start, answer, this.#turn.agent, this.#tools, announced);
    const entries = await this.#log.append(drafts);
    const uses = entries.map((entry) => entry.event).filter(isToolUse);
    const calls = uses.flatMap((use, index) => {
      const decision = decisions[index];
      return decision === undefined || waits(decision)
        ? []
        : [{ eventId: use.id, kind: callKind(use), decision }];
    });
    await this.#runCalls(calls);
    if (answer.reason === "refusal") return "refusal";
    if (answer.reason !== "max_tokens") {
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
    const answer = await this.#requests.ask(history, this.#compaction.messages(history));
    if (answer.type === "aborted") return await this.#requests.abandon(start, "cancelled");
    if (answer.type === "failed") {
      return this.#compaction.canRetry(answer.error)
        ? await this.#requests.abandon(start, null)
        : await this.#requests.fail(start, answer.error);
    }
    this.#requests.succeed();
    await this.#log.append(this.#compaction.drafts(start, history, answer));
    return null;
  }

  /** What was taken in asks for no answer: an interrupt came last, or there is no message at all. */
  async #leaveUnasked(start: string): Promise<TurnEnd> {
    const { interrupted } = this.#history();
    return await this.#requests.abandon(start, interrupted ? "cancelled" : "end_turn");
  }

  #history(): History {
    // Of the session alone, whatever model goes on with it: the history's bytes stay the same.
    const maxResultLength = this.#turn.agent.model.effective_context_window;
    return foldHistory(this.#log.entries, this.#files, maxResultLength);
  }
}
