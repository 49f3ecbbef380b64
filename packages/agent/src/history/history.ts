import type { ModelUsage } from "@berth/contract";
import type { ImageBlock, ModelMessage } from "../models/model.ts";
import type { CarriedTokens } from "./carried-tokens.ts";
import type { OpenPart } from "./nested-events.ts";
import type { ToolCall } from "./open-calls.ts";
import type { PausedTokens } from "./paused-tokens.ts";

/** A log, folded: the messages to send to the model, and the state that the session is in. */
export interface History {
  /** Append-only: the messages of a longer log begin with these blocks, except across a compaction. */
  messages: readonly ModelMessage[];
  /** The newest message is a user message or tool results, so the model has to respond. */
  responseDue: boolean;
  /** The newest input is an interrupt. */
  interrupted: boolean;
  /** Announced calls without a result, in call order. */
  openCalls: readonly ToolCall[];
  /** Id of the `span.model_request_start` that has no end. */
  openRequest: string | null;
  /** What in the own loops of calls has no end. */
  openParts: readonly OpenPart[];
  /** Input and output tokens of the newest complete response; they cover the first `messages` messages. */
  measured: { tokens: number; messages: number } | null;
  /** What was sent since the last compaction; null if nothing was, or the provider reports no usage. */
  carried: CarriedTokens | null;
  /** What the session's pauses say of the lifetime that its cache should have. */
  paused: PausedTokens;
  /** How many messages the newest complete response, and the request that it answered, cover; 0 if there is none. */
  accepted: number;
  /** The context window in tokens that the model turned out to have; null if nothing was learned. */
  contextWindow: number | null;
  /** The tools that the provider rejects, each with the digest of the definition that it rejects. */
  omittedTools: Readonly<Record<string, string>>;
  /** How many requests with exactly these messages have failed. */
  failedAttempts: number;
  /** The requests that failed since the last response, in this turn; null if none did. */
  failures: { count: number; since: number } | null;
  /** When the next request is due after a failure, in milliseconds since 1970; null when none is waited for. */
  nextRetry: number | null;
  /** Responses in this turn. */
  responses: number;
  /** Input and output of all requests in this turn. */
  tokens: number;
  /** The history was compacted and there has been no response since. */
  compacted: boolean;
  /** The text of the newest user message that a request included. */
  newestMessage: string;
  /** The texts of the user's messages before it, as far as they are known. */
  earlierMessages: readonly string[];
  /** Paths of the files that calls have changed, in the order of the first change. */
  changedFiles: readonly string[];
  /** The images of the newest user message. */
  newestImages: readonly ImageBlock[];
}

/** Null when the provider reports no usage. */
export function measureTokens(usage: ModelUsage | null, messages: number): History["measured"] {
  const tokens = tokensOf(usage);
  return tokens > 0 ? { tokens, messages } : null;
}

/** Input and output of a request; 0 when the provider reports no usage. */
export function tokensOf(usage: ModelUsage | null): number {
  if (usage === null) return 0;
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return input_tokens + output_tokens + cache_read_input_tokens + cache_creation_input_tokens;
}
