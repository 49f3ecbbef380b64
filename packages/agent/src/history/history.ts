import type { ModelUsage } from "@berth/contract";
import type { ImageBlock, ModelMessage } from "../models/model.ts";
import type { CarriedTokens } from "./carried-tokens.ts";
import type { OpenPart } from "./nested-events.ts";
import type { ToolCall } from "./open-calls.ts";
import type { PausedTokens } from "./paused-tokens.ts";

/** A folded log: the messages to send to the model, and the state of the session. */
export interface History {
  /** Append-only: the messages of a longer log begin with these blocks, except across a compaction. */
  messages: readonly ModelMessage[];
  /** Whether the newest message is a user message or tool results, so that the model has to respond. */
  responseDue: boolean;
  /** Whether the newest input is an interrupt. */
  interrupted: boolean;
  /** Announced calls without a result, in call order. */
  openCalls: readonly ToolCall[];
  /** Id of the `span.model_request_start` that has no end; null if there is none. */
  openRequest: string | null;
  /** Requests and calls of nested loops that have no end. */
  openParts: readonly OpenPart[];
  /** Input and output tokens of the newest complete response; they cover the first `messages` messages. */
  measured: { tokens: number; messages: number } | null;
  /** Input tokens since the last compaction; null if nothing was sent, or the provider reports no usage. */
  carried: CarriedTokens | null;
  /** Statistics of the session's pauses, from which the cache lifetime is chosen. */
  paused: PausedTokens;
  /** The number of messages that the newest complete response and its request cover; 0 if there is none. */
  accepted: number;
  /** The model's context window in tokens, as learned from rejected requests; null if nothing was learned. */
  contextWindow: number | null;
  /** The tools that the provider rejects, each with the digest of the rejected definition. */
  omittedTools: Readonly<Record<string, string>>;
  /** The number of failed requests with exactly these messages. */
  failedAttempts: number;
  /** The failures since the last response in this turn, `since` in milliseconds since 1970; null if none. */
  failures: { count: number; since: number } | null;
  /** Time of the next retry, in milliseconds since 1970; null when none is scheduled. */
  nextRetry: number | null;
  /** The number of responses in this turn. */
  responses: number;
  /** Input and output tokens of all requests in this turn. */
  tokens: number;
  /** Whether the history was compacted and there has been no response since. */
  compacted: boolean;
  /** The text of the newest user message that a request included. */
  newestMessage: string;
  /** The texts of the user's messages before the newest, as far as they are known. */
  earlierMessages: readonly string[];
  /** Paths of the files that calls have changed, in the order of the first change. */
  changedFiles: readonly string[];
  /** The images of the newest user message. */
  newestImages: readonly ImageBlock[];
}

/** Returns null when the provider reports no usage. */
export function measureTokens(usage: ModelUsage | null, messages: number): History["measured"] {
  const tokens = tokensOf(usage);
  return tokens > 0 ? { tokens, messages } : null;
}

/** Returns the input and output tokens of a request; 0 when the provider reports no usage. */
export function tokensOf(usage: ModelUsage | null): number {
  if (usage === null) return 0;
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return input_tokens + output_tokens + cache_read_input_tokens + cache_creation_input_tokens;
}
