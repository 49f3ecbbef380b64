import type { ModelUsage } from "@berth/contract";
import type { ImageBlock, ModelMessage } from "../models/model.ts";
import type { ToolCall } from "./open-calls.ts";

/** What a log means to the loop: the messages a model is sent, and where the log state. */
export interface History {
  /** Append-only: the history of a longer log begins with these blocks, except across a compaction. */
  messages: readonly ModelMessage[];
  /** The model owes an answer: what came last is a user's message or results of tools. */
  responseDue: boolean;
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

/** What an answer measured of the history of then; null from a provider that reports nothing. */
export function measure(usage: ModelUsage | null, messages: number): History["measured"] {
  if (usage === null) return null;
  const tokens =
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_read_input_tokens +
    usage.cache_creation_input_tokens;
  return tokens > 0 ? { tokens, messages } : null;
}
