import type { ModelUsage } from "@berth/contract";

/**
 * A language model, as the loop sees it.
 *
 * Life story. The loop calls `stream` once per attempt with the whole history and reads the parts until `finish`. Only
 * `text_delta` and `thinking_started` may be shown before that; blocks count after a `finish`, which is the one sign of a clean end.
 * Aborting the signal ends the iteration with the signal's reason. Every failure of the provider or the network,
 * before the first part or in the middle, is thrown as `ModelError`; retrying is the loop's affair, never the model's.
 * Several sessions stream from one model at once: it keeps nothing between calls.
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
  /** How many requests with just these messages have failed before, as the log tells. Providers are not told. */
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

/** A document that a model reads as such; those of text are text blocks. */
export interface DocumentBlock {
  type: "document";
  mediaType: "application/pdf";
  /** Base64. */
  data: string;
}

/** `opaque` is what a provider wants back unchanged (signatures, item ids): stored, never looked into. */
export type AssistantBlock =
  | { type: "text"; text: string; opaque?: Opaque }
  | { type: "thinking"; text: string; opaque?: Opaque }
  | { type: "tool_call"; id: string; name: string; input: Record<string, unknown>; opaque?: Opaque };

export type Opaque = Record<string, unknown>;

export interface ToolResultBlock {
  /** Of the `tool_call`. */
  id: string;
  name: string;
  content: readonly (TextBlock | ImageBlock)[];
  isError: boolean;
}

export type ModelPart =
  /** `blockIndex` tells the blocks of an answer apart: a delta's is that of the block that it becomes, should it become one. */
  | { type: "text_delta"; text: string; blockIndex: number }
  /** The model thinks: said once for a block, when there is something in it. */
  | { type: "thinking_started"; blockIndex: number }
  /** A block in full, in the order in which the model made them. */
  | { type: "block"; block: AssistantBlock; blockIndex: number }
  | { type: "finish"; reason: FinishReason; usage: ModelUsage };

/** `max_tokens`: the answer was cut; its tool calls do not count. */
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
  /** What the provider asked to wait, in milliseconds. */
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
