import type { ModelUsage } from "@berth/contract";
import type { CacheTtl } from "./cache-ttl.ts";
import type { TokenPrices } from "./token-prices.ts";

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
  /** Default: `USUAL_PRICES`. Null: it costs nothing. */
  readonly prices?: TokenPrices | null;
  /**
   * For how many milliseconds after a request the provider's cache has what was in it, where each request says so anew and to write it costs.
   * Default: null, it has no such cache.
   */
  readonly cacheLifetimeMs?: number | null;
  /** Whether a request can ask that cache to keep it for an hour, at a higher price. Default: false. */
  readonly hasHourCache?: boolean;
  /** @param onSend called when the request is built and handed to the network. */
  stream(request: ModelRequest, signal: AbortSignal, onSend?: () => void): AsyncIterable<ModelPart>;
}

export interface ModelRequest {
  system: string;
  tools: readonly ToolDefinition[];
  /** Append-only and byte-stable from one request of a session to the next. */
  messages: readonly ModelMessage[];
  effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** Whether later requests begin with these messages, so that a cache is to have their end. Default true. */
  isContinued?: boolean;
  /** For how long its cache is to keep it; default, and for models without `hasHourCache`: as long as it does by itself. */
  cacheTtl?: CacheTtl | undefined;
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

/**
 * - `opaque`: provider data that must be sent back unchanged (signatures, item ids). Stored, never interpreted.
 * - `malformed`: the input as the model wrote it, where that is no JSON object; `input` is then empty.
 */
export type AssistantBlock =
  | { type: "text"; text: string; opaque?: Opaque }
  | { type: "thinking"; text: string; opaque?: Opaque }
  | {
      type: "tool_call";
      id: string;
      name: string;
      input: Record<string, unknown>;
      malformed?: string;
      opaque?: Opaque;
    };

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

/** What a refusal says about a request that has, or may have, more tokens than the model takes. */
export interface Overflow {
  /**
   * True: the provider says so. False: it rejected the request with words that suggest it (400 or 422, which speak of tokens, length,
   * context or prompt), so a smaller request is worth one try if this one was larger than the last that was accepted.
   */
  certain: boolean;
  /** Tokens that the provider takes, by most texts of input and output together; null when the text states none. */
  limit: number | null;
  /** Tokens of the request by the provider's count, with the output limit where it counts that; null when the text states none. */
  requested: number | null;
}

export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** Not null for every `context_overflow`, then `certain`; of the other kinds, for a `request_failed` that may be one. */
  readonly overflow: Overflow | null;
  /** The provider rejected what is in the request: it rejects the same request again, and may take another one. */
  readonly rejected: boolean;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | null;
      overflow?: Overflow | null;
      rejected?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
    const unsized = { certain: true, limit: null, requested: null };
    this.overflow = options.overflow ?? (kind === "context_overflow" ? unsized : null);
    this.rejected = options.rejected ?? kind === "context_overflow";
  }
}
