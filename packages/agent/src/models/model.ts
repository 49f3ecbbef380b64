import type { ModelUsage } from "@berth/contract";

/**
 * A language model, as the loop sees it.
 *
 * The loop calls `stream` once per attempt with the whole history and reads the parts until `finish`, the only sign that the
 * response is complete. Before it only `text_delta` and `thinking_started` may be shown; blocks may be used after it.
 * Aborting the signal ends the iteration with the signal's reason. Every failure of the provider or the network, before the
 * first part or later, is thrown as `ModelError`. The loop retries, never the model.
 * Several sessions stream from one model at once, and it keeps no state between calls.
 */
export interface Model {
  /** `provider/model`, as the registry names it. */
  readonly id: string;
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

export interface ModelRequest {
  system: string;
  tools: readonly ToolDefinition[];
  /** Append-only and byte-stable from one request of a session to the next. */
  messages: readonly ModelMessage[];
  effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** How many requests with exactly these messages have failed, according to the log. Not sent to providers. */
  failedAttempts?: number;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the input object. */
  inputSchema: Record<string, unknown>;
}

export type ModelMessage =
  | { role: "user"; content: readonly UserBlock[] }
  | { role: "assistant"; content: readonly AssistantBlock[] }
  | { role: "tool"; content: readonly ToolResultBlock[] };

export type UserBlock = TextBlock | ImageBlock | DocumentBlock;

export interface TextBlock {
  type: "text";
  text: string;
}

export interface ImageBlock {
  type: "image";
  mediaType: string;
  /** Base64. */
  data: string;
}

/** A document that the model reads in its own format; text documents are text blocks. */
export interface DocumentBlock {
  type: "document";
  mediaType: "application/pdf";
  /** Base64. */
  data: string;
}

/** `opaque`: provider data that must be sent back unchanged (signatures, item ids). Stored, never interpreted. */
export type AssistantBlock =
  | { type: "text"; text: string; opaque?: Opaque }
  | { type: "thinking"; text: string; opaque?: Opaque }
  | { type: "tool_call"; id: string; name: string; input: Record<string, unknown>; opaque?: Opaque };

export type Opaque = Record<string, unknown>;

export interface ToolResultBlock {
  /** Id of the `tool_call`. */
  id: string;
  name: string;
  content: readonly (TextBlock | ImageBlock)[];
  isError: boolean;
}

export type ModelPart =
  /** `blockIndex` identifies a block of the response: a delta has the index of the block that it will be part of. */
  | { type: "text_delta"; text: string; blockIndex: number }
  /** The model is thinking. Sent once for a block, when it has content. */
  | { type: "thinking_started"; blockIndex: number }
  /** A complete block. Blocks come in the order in which the model began them. */
  | { type: "block"; block: AssistantBlock; blockIndex: number }
  | { type: "finish"; reason: FinishReason; usage: ModelUsage };

/** `max_tokens`: the response was truncated; its tool calls are dropped. */
export type FinishReason = "end_turn" | "tool_calls" | "max_tokens" | "refusal";

export type ModelErrorKind =
  | "overloaded"
  | "rate_limited"
  | "request_failed"
  | "authentication"
  | "not_found"
  | "context_overflow"
  | "interrupted_stream";

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: { retryable: boolean; retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}
