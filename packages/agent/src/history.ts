import type { EventOf, ResultBlock } from "@berth/contract";
import { answeredCall, kindOf, type ResultEvent, type UseEvent } from "./call-events.ts";
import type { LogEntry } from "./log.ts";
import { messageBlocks, operatorBlock, textOf } from "./message-blocks.ts";
import { type MessageFiles, noFiles } from "./message-files.ts";
import type {
  AssistantBlock,
  ImageBlock,
  ModelMessage,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from "./model.ts";
import * as notes from "./notes.ts";
import { cancel, confirm, type ToolCall } from "./open-calls.ts";
import { storableText } from "./storable.ts";

/** What a log means to the loop: the messages a model is sent, and where the log stands. */
export interface History {
  /** Append-only: the history of a longer log begins with these blocks, except across a compaction. */
  messages: readonly ModelMessage[];
  /** The model owes an answer: what came last is a user's message or results of tools. */
  owed: boolean;
  /** The newest input is an interrupt. */
  interrupted: boolean;
  /** Calls that were announced and have no result, in their order. */
  openCalls: readonly ToolCall[];
  /** Id of the `span.model_request_start` that has no end. */
  openRequest: string | null;
  /** What the newest clean answer measured: its tokens of input and output, which the first `messages` messages hold. */
  measured: { tokens: number; messages: number } | null;
  /** Requests with just these messages that failed. */
  failedAttempts: number;
  /** The history was compacted and no answer has come since. */
  compacted: boolean;
  /** The text of the newest user message that a request has seen. */
  newestMessage: string;
  /** Its images. */
  newestImages: readonly ImageBlock[];
}

/**
 * Folds a log into the history of its session. Pure: the same log, with the same `files`, gives the same bytes.
 *
 * - `files`: what messages name by id. What is not there is told to the model as lost.
 * - Inputs enter at the first `span.model_request_start` after them, after the results of tools.
 * - A response enters at its clean `span.model_request_end`; a failed one leaves nothing.
 * - Results enter together, in the order of the calls, at the next request.
 * - `agent.context_compacted` replaces everything before it.
 * - `session.container_reclaimed` and the `session.error` of an MCP server are told once, with the results or inputs that enter next.
 */
export function foldHistory(entries: readonly LogEntry[], files: MessageFiles = noFiles): History {
  const fold = new Fold(files);
  for (const entry of entries) fold.apply(entry);
  return fold.history();
}

class Fold {
  readonly files: MessageFiles;
  messages: ModelMessage[] = [];
  waiting: EventOf<"user.message" | "user.interrupt" | "system.message">[] = [];
  response: AssistantBlock[] = [];
  responseCalls: ToolCall[] = [];
  calls: ToolCall[] = [];
  results = new Map<string, ToolResultBlock>();
  note: string | null = null;
  /** Of MCP servers, that no request has been told of. */
  faults: string[] = [];
  owed = false;
  interruptUntold = false;
  containerUntold = false;
  interrupted = false;
  openRequest: string | null = null;
  measured: History["measured"] = null;
  failedAttempts = 0;
  compacted = false;
  newestMessage = "";
  newestImages: readonly ImageBlock[] = [];

  constructor(files: MessageFiles) {
    this.files = files;
  }

  apply(entry: LogEntry): void {
    const { event, memo } = entry;
    switch (event.type) {
      case "user.message":
      case "user.interrupt":
        this.waiting.push(event);
        this.interrupted = event.type === "user.interrupt";
        if (this.interrupted) this.calls.forEach(cancel);
        return;
      case "user.tool_confirmation":
        this.addConfirmation(event);
        return;
      case "system.message":
        this.waiting.push(event);
        return;
      case "span.model_request_start":
        this.takeIn();
        this.openRequest = event.id;
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
        this.addResult(event);
        return;
      case "agent.context_compacted":
        this.compact(memo);
        return;
      case "session.container_reclaimed":
        this.containerUntold = true;
        return;
      case "session.error":
        if (event.error.mcp_server_name !== undefined)
          this.faults.push(notes.withoutTools(event.error.message));
        return;
    }
  }

  history(): History {
    const openCalls = this.calls.filter((call) => !this.results.has(call.eventId));
    return {
      messages: this.messages,
      owed: this.owed || this.calls.length > 0 || this.note !== null,
      interrupted: this.interrupted,
      openCalls,
      openRequest: this.openRequest,
      measured: this.measured,
      failedAttempts: this.failedAttempts,
      compacted: this.compacted,
      newestMessage: this.newestMessage,
      newestImages: this.newestImages,
    };
  }

  /** A request starts: results and inputs so far become messages. */
  takeIn(): void {
    const before = this.messages.length;
    this.takeInResults();
    const blocks = this.takeInInputs();
    if (blocks.length > 0) this.addUserBlocks(blocks);
    if (this.messages.length === before && blocks.length === 0) return;
    this.owed = true;
    this.failedAttempts = 0;
  }

  takeInResults(): void {
    if (this.calls.length === 0) return;
    const content = this.calls.map((call) => this.results.get(call.eventId) ?? lostResult(call));
    const last = content.at(-1);
    if (last !== undefined)
      content[content.length - 1] = { ...last, content: [...last.content, ...this.takeInNews()] };
    this.messages.push({ role: "tool", content });
    this.calls = [];
    this.results.clear();
  }

  /** What happened to the session; it goes with what enters, and makes no request by itself. */
  takeInNews(): TextBlock[] {
    const texts = [...(this.containerUntold ? [notes.containerAnew] : []), ...this.faults];
    this.containerUntold = false;
    this.faults = [];
    return texts.map((text) => ({ type: "text", text }));
  }

  takeInInputs(): UserBlock[] {
    const blocks: UserBlock[] = [];
    if (this.note !== null) blocks.push({ type: "text", text: this.note });
    this.note = null;
    for (const event of this.waiting) {
      if (event.type === "user.interrupt") {
        this.interruptUntold = true;
        continue;
      }
      if (event.type === "system.message") {
        blocks.push(operatorBlock(event));
        continue;
      }
      if (this.interruptUntold) blocks.push({ type: "text", text: notes.userInterrupted });
      this.interruptUntold = false;
      const message = messageBlocks(event, this.files);
      this.newestMessage = textOf(message);
      this.newestImages = message.filter((block) => block.type === "image");
      blocks.push(...message);
    }
    this.waiting = [];
    return blocks.length === 0 ? [] : [...this.takeInNews(), ...blocks];
  }

  /** Two user messages in a row, as after a failed request, are one with the blocks of both. */
  addUserBlocks(blocks: readonly UserBlock[]): void {
    const last = this.messages.at(-1);
    if (last?.role === "user") {
      this.messages[this.messages.length - 1] = { role: "user", content: [...last.content, ...blocks] };
    } else {
      this.messages.push({ role: "user", content: blocks });
    }
  }

  addCall(event: UseEvent, memo: LogEntry["memo"]): void {
    const { id: eventId, input } = event;
    const callId = memo?.call_id ?? eventId;
    const name = memo?.tool_name ?? event.name;
    const waits = event.type === "agent.custom_tool_use" || event.evaluated_permission === "ask";
    const stands = waits ? "waiting" : "begun";
    this.responseCalls.push({ eventId, callId, name, input, kind: kindOf(event), stands });
    this.response.push({ type: "tool_call", id: callId, name, input, ...opaqueOf(memo) });
  }

  addConfirmation(event: EventOf<"user.tool_confirmation">): void {
    const call = this.calls.find((candidate) => candidate.eventId === event.tool_use_id);
    if (call !== undefined) confirm(call, event);
  }

  endRequest(event: EventOf<"span.model_request_end">, memo: LogEntry["memo"]): void {
    this.openRequest = null;
    if (event.is_error) {
      this.failedAttempts += 1;
      this.dropResponse();
      return;
    }
    if (this.response.length > 0) this.messages.push({ role: "assistant", content: this.response });
    this.calls = this.responseCalls;
    this.dropResponse();
    this.note = memo?.text ?? null;
    this.owed = false;
    this.failedAttempts = 0;
    this.compacted = false;
    this.measured = measure(event, this.messages.length);
  }

  dropResponse(): void {
    this.response = [];
    this.responseCalls = [];
  }

  addResult(event: ResultEvent): void {
    const call = this.calls.find((candidate) => candidate.eventId === answeredCall(event));
    if (call === undefined || this.results.has(call.eventId)) return;
    const content =
      event.type === "user.custom_tool_result" ? clientContent(event) : event.content.map(resultContent);
    this.results.set(call.eventId, { id: call.callId, name: call.name, content, isError: event.is_error });
  }

  compact(memo: LogEntry["memo"]): void {
    const content: UserBlock[] = [{ type: "text", text: notes.summaryOf(memo?.text ?? "") }];
    if (memo?.kept !== undefined) content.push({ type: "text", text: memo.kept });
    if (memo?.keeps_images === true) content.push(...this.newestImages);
    this.messages = [{ role: "user", content }];
    this.calls = [];
    this.results.clear();
    this.note = null;
    this.owed = true;
    this.measured = null;
    this.failedAttempts = 0;
    this.compacted = true;
  }
}

function opaqueOf(memo: LogEntry["memo"]): { opaque?: Record<string, unknown> } {
  return memo?.opaque === undefined ? {} : { opaque: memo.opaque };
}

function resultContent(block: ResultBlock): TextBlock | ImageBlock {
  if (block.type === "text") return block;
  return { type: "image", mediaType: block.source.media_type, data: block.source.data };
}

/** Providers refuse blank texts and results of nothing. */
function clientContent({ content }: EventOf<"user.custom_tool_result">): (TextBlock | ImageBlock)[] {
  const blocks = content.map((block) =>
    block.type === "text" ? { ...block, text: storableText(block.text) } : resultContent(block),
  );
  const told = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  return told.length > 0 ? told : [{ type: "text", text: notes.emptyResult }];
}

function lostResult(call: ToolCall): ToolResultBlock {
  return {
    id: call.callId,
    name: call.name,
    content: [{ type: "text", text: notes.interruptedCall }],
    isError: true,
  };
}

function measure(event: EventOf<"span.model_request_end">, messages: number): History["measured"] {
  const usage = event.model_usage;
  if (usage === null) return null;
  const tokens =
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_read_input_tokens +
    usage.cache_creation_input_tokens;
  return tokens > 0 ? { tokens, messages } : null;
}
