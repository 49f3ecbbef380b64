import type { EventOf } from "@berth/contract";
import type { AssistantBlock, ModelMessage, UserBlock } from "../models/model.ts";
import * as notes from "../prompts/notes.ts";
import type { ToolUseEvent } from "./call-events.ts";
import { type CarriedTokens, withRequest } from "./carried-tokens.ts";
import { changedFile } from "./changed-file.ts";
import { compactedContent } from "./compacted-content.ts";
import { type History, measureTokens, tokensOf } from "./history.ts";
import type { LogEntry } from "./log-entry.ts";
import { type MessageFiles, NO_FILES } from "./message-files.ts";
import { OpenParts, parentCallOf } from "./nested-events.ts";
import { omitFrom } from "./omission.ts";
import { OpenCalls, openCallOf, type ToolCall } from "./open-calls.ts";
import { NO_PAUSES, withPause } from "./paused-tokens.ts";
import { PendingInputs } from "./pending-inputs.ts";

/**
 * Folds a session's log into its history. The function is pure: the same log, `files` and `maxResultLength`
 * give the same bytes.
 *
 * - `files`: the files that messages refer to by id. For a missing one the model gets a note instead.
 * - `maxResultLength`: maximum characters of text that the model gets of one client result.
 * - Inputs enter at the next `span.model_request_start`, following the tool results.
 * - A response enters at its successful `span.model_request_end`; a failed one is dropped.
 * - Tool results enter together, in call order, at the next request.
 * - `agent.context_compacted` replaces everything before it; `agent.content_omitted` leaves a part of it out.
 * - Events of a nested loop add nothing to the messages: the fold only tracks which of its requests and calls
 *   are open.
 * - `session.container_reclaimed` and the `session.error` of an MCP server become notices, once, with the
 *   results or inputs that enter next.
 */
export function foldHistory(
  entries: readonly LogEntry[],
  files: MessageFiles = NO_FILES,
  maxResultLength: number = Number.POSITIVE_INFINITY,
): History {
  const fold = HistoryFold.begin(files, maxResultLength);
  for (const entry of entries) fold.apply(entry);
  return fold.history();
}

/** A fold that can continue: it has applied the entries so far, and later ones can be applied. */
export class HistoryFold {
  readonly pending: PendingInputs;
  messages: ModelMessage[] = [];
  response: AssistantBlock[] = [];
  responseCalls: ToolCall[] = [];
  readonly calls: OpenCalls;
  openParts = new OpenParts();
  responseDue = false;
  interrupted = false;
  openRequest: string | null = null;
  measured: History["measured"] = null;
  carried: CarriedTokens | null = null;
  paused = NO_PAUSES;
  /** `paused` before the newest request. */
  pausedBefore = NO_PAUSES;
  requestedAt = 0;
  failedAttempts = 0;
  failures: History["failures"] = null;
  nextRetry: number | null = null;
  responses = 0;
  tokens = 0;
  accepted = 0;
  contextWindow: number | null = null;
  omittedTools: History["omittedTools"] = {};
  changedFiles: ReadonlySet<string> = new Set();
  compacted = false;

  constructor(pending: PendingInputs, calls: OpenCalls) {
    this.pending = pending;
    this.calls = calls;
  }

  static begin(files: MessageFiles, maxResultLength: number): HistoryFold {
    return new HistoryFold(new PendingInputs(files), new OpenCalls(maxResultLength));
  }

  /** Returns an independent copy. The messages themselves are shared, since they never change. */
  fork(): HistoryFold {
    const fork = new HistoryFold(this.pending.fork(), this.calls.fork());
    fork.messages = [...this.messages];
    fork.response = [...this.response];
    fork.responseCalls = this.responseCalls.map((call) => ({ ...call }));
    fork.openParts = this.openParts.fork();
    fork.responseDue = this.responseDue;
    fork.interrupted = this.interrupted;
    fork.openRequest = this.openRequest;
    fork.measured = this.measured;
    fork.carried = this.carried;
    fork.paused = this.paused;
    fork.pausedBefore = this.pausedBefore;
    fork.requestedAt = this.requestedAt;
    fork.failedAttempts = this.failedAttempts;
    fork.failures = this.failures;
    fork.nextRetry = this.nextRetry;
    fork.responses = this.responses;
    fork.tokens = this.tokens;
    fork.accepted = this.accepted;
    fork.contextWindow = this.contextWindow;
    fork.omittedTools = this.omittedTools;
    fork.changedFiles = this.changedFiles;
    fork.compacted = this.compacted;
    return fork;
  }

  apply(entry: LogEntry): void {
    const { event, memo } = entry;
    const parent = parentCallOf(event);
    if (parent !== null) {
      this.openParts.apply(event, parent);
      return;
    }
    switch (event.type) {
      case "user.message":
      case "user.interrupt":
        this.pending.add(event);
        this.interrupted = event.type === "user.interrupt";
        if (this.interrupted) this.calls.interrupt();
        return;
      case "system.message":
        this.pending.add(event);
        return;
      case "user.tool_confirmation":
        this.calls.confirm(event);
        return;
      case "span.model_request_start":
        this.nextRetry = null;
        this.startRequest();
        this.openRequest = event.id;
        this.requestedAt = Date.parse(event.created_at);
        this.dropResponse();
        return;
      case "agent.thinking":
        this.response.push({ type: "thinking", text: memo?.text ?? "", ...opaqueOf(memo) });
        return;
      case "agent.message":
        this.response.push({
          type: "text",
          text: event.content.map((block) => block.text).join(""),
          ...opaqueOf(memo),
        });
        return;
      case "agent.tool_use":
      case "agent.mcp_tool_use":
      case "agent.custom_tool_use":
        this.addCall(event, memo);
        return;
      case "span.model_request_end":
        this.endRequest(event, memo);
        return;
      case "agent.tool_result":
      case "agent.mcp_tool_result":
      case "user.custom_tool_result":
        this.noteChange(this.calls.addResult(event));
        return;
      case "agent.context_compacted":
        this.compact(memo);
        return;
      case "agent.content_omitted":
        this.omit(memo);
        return;
      case "session.container_reclaimed":
        this.pending.containerReclaimed =
          event.save === undefined
            ? notes.CONTAINER_RECLAIMED
            : notes.containerRestored(event.save.saved_at, event.save.lost_calls);
        return;
      case "session.error":
        if (event.error.mcp_server_name !== undefined)
          this.pending.mcpNotes.push(notes.mcpError(event.error));
        if (event.error.type.startsWith("model_")) this.countFailure(event);
        return;
      case "session.status_rescheduled":
        this.nextRetry = event.retry_at === undefined ? null : Date.parse(event.retry_at);
        return;
      case "session.status_idle":
        this.failures = null;
        this.nextRetry = null;
        this.responses = 0;
        this.tokens = 0;
        return;
    }
  }

  history(): History {
    return {
      messages: this.messages,
      responseDue: this.responseDue || !this.calls.isEmpty() || this.pending.note !== null,
      interrupted: this.interrupted,
      openCalls: this.calls.withoutResult(),
      openRequest: this.openRequest,
      openParts: this.openParts.list(),
      measured: this.measured,
      carried: this.carried,
      paused: this.paused,
      failedAttempts: this.failedAttempts,
      failures: this.failures,
      nextRetry: this.nextRetry,
      responses: this.responses,
      tokens: this.tokens,
      accepted: this.accepted,
      contextWindow: this.contextWindow,
      omittedTools: this.omittedTools,
      earlierMessages: this.pending.earlierMessages,
      changedFiles: [...this.changedFiles],
      compacted: this.compacted,
      newestMessage: this.pending.newestMessage,
      newestImages: this.pending.newestImages,
    };
  }

  /** Turns the results and inputs so far into messages. */
  startRequest(): void {
    const before = this.messages.length;
    this.addResults();
    const blocks = this.pending.take();
    if (blocks.length > 0) this.addUserBlocks(blocks);
    if (this.messages.length === before && blocks.length === 0) return;
    this.responseDue = true;
    this.failedAttempts = 0;
  }

  addResults(): void {
    const content = this.calls.close();
    const last = content.at(-1);
    if (last === undefined) return;
    content[content.length - 1] = { ...last, content: [...last.content, ...this.pending.takeNotices()] };
    this.messages.push({ role: "tool", content });
  }

  /** Adds a user message, merged into a user message directly before it, as after a failed request. */
  addUserBlocks(blocks: readonly UserBlock[]): void {
    const last = this.messages.at(-1);
    if (last?.role === "user") {
      this.messages[this.messages.length - 1] = { role: "user", content: [...last.content, ...blocks] };
    } else {
      this.messages.push({ role: "user", content: blocks });
    }
  }

  addCall(event: ToolUseEvent, memo: LogEntry["memo"]): void {
    const call = openCallOf(event, memo);
    this.responseCalls.push(call);
    this.response.push({
      type: "tool_call",
      id: call.callId,
      name: call.name,
      input: call.input,
      ...opaqueOf(memo),
    });
  }

  endRequest(event: EventOf<"span.model_request_end">, memo: LogEntry["memo"]): void {
    this.openRequest = null;
    this.tokens += tokensOf(event.model_usage);
    if (event.is_error) {
      this.failedAttempts += 1;
      this.dropResponse();
      return;
    }
    if (this.response.length > 0) this.messages.push({ role: "assistant", content: this.response });
    this.calls.announce(this.responseCalls);
    this.dropResponse();
    this.pending.note = memo?.text ?? null;
    this.responseDue = false;
    this.failedAttempts = 0;
    this.failures = null;
    this.responses += 1;
    this.compacted = false;
    this.accepted = this.messages.length;
    this.carried = withRequest(this.carried, event.model_usage);
    this.pausedBefore = this.paused;
    this.paused = withPause(this.paused, this.requestedAt, event.model_usage);
    this.measured = measureTokens(event.model_usage, this.messages.length);
  }

  /** Records the file that a call changed. `call` is null when the call failed. */
  noteChange(call: ToolCall | null): void {
    const path = call === null ? null : changedFile(call);
    if (path !== null && !this.changedFiles.has(path))
      this.changedFiles = new Set([...this.changedFiles, path]);
  }

  /** Counts a failed request. When it will not be retried, the next failure begins a new series. */
  countFailure({ error, created_at }: EventOf<"session.error">): void {
    const { count, since } = this.failures ?? { count: 0, since: Date.parse(created_at) };
    this.failures = error.retry_status.type === "retrying" ? { count: count + 1, since } : null;
  }

  dropResponse(): void {
    this.response = [];
    this.responseCalls = [];
  }

  compact(memo: LogEntry["memo"]): void {
    this.messages = [{ role: "user", content: compactedContent(memo, this.pending.newestImages) }];
    this.calls.drop();
    this.pending.note = null;
    if (memo?.messages !== undefined) this.pending.earlierMessages = memo.messages;
    if (memo?.files !== undefined) this.changedFiles = new Set(memo.files);
    this.learn(memo);
    this.responseDue = memo?.answer === undefined;
    this.measured = null;
    this.carried = null;
    // After a summary, the pause before it does not count: with a shorter cache lifetime, the summary would
    // have come earlier.
    this.paused = { ...this.pausedBefore, newest: null };
    this.accepted = 0;
    this.failedAttempts = 0;
    this.compacted = true;
  }

  /** Leaves content out of the history, beginning with the request whose response follows. */
  omit(memo: LogEntry["memo"]): void {
    const omissions = memo?.omissions ?? [];
    this.messages = [...omitFrom(this.messages, omissions, this.pending.newestMessage).messages];
    for (const omission of omissions) {
      if (omission.of === "tools") this.omittedTools = { ...this.omittedTools, ...omission.digests };
      if (omission.of === "messages" && omission.forgets) this.pending.earlierMessages = [];
    }
    this.learn(memo);
    this.measured = null;
  }

  learn(memo: LogEntry["memo"]): void {
    if (memo?.context_window !== undefined) this.contextWindow = memo.context_window;
    if (memo?.omitted_tools !== undefined) this.omittedTools = memo.omitted_tools;
  }
}

function opaqueOf(memo: LogEntry["memo"]): { opaque?: Record<string, unknown> } {
  return memo?.opaque === undefined ? {} : { opaque: memo.opaque };
}
