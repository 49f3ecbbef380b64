import type { ModelUsage } from "@berth/contract";
import type { CacheTtl } from "./cache-ttl.ts";
import type { ListPrice } from "./list-price.ts";
import type { TokenPrices } from "./token-prices.ts";

/**
 * A language model, as the loop uses it.
 *
 * The loop calls `stream` once per attempt with the whole history and reads the parts until `finish`, the
 * only sign that the response is complete. Before it only `text_delta` and `thinking_started` may be shown;
 * blocks may be used after it. Aborting the signal ends the iteration with the signal's reason. Every failure
 * of the provider or the network, before the first part or later, is thrown as `ModelError`. The loop
 * retries, never the model. Several sessions stream from one model at once, and it keeps no state between
 * calls.
 */
export interface Model {
  /** The id in the registry, `provider/model`. */
  readonly id: string;
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Default: `USUAL_PRICES`. Null when the model costs nothing. */
  readonly prices?: TokenPrices | null;
  /** The list price; null, which is the default, when it is not known. */
  readonly listPrice?: ListPrice | null;
  /**
   * Milliseconds for which the provider's cache keeps a request, when caching is requested explicitly and
   * writes cost extra. Default: null, the provider has no such cache.
   */
  readonly cacheLifetimeMs?: number | null;
  /** Whether a request can ask for a cache lifetime of an hour, at a higher price. Default: false. */
  readonly hasHourCache?: boolean;
  /** Streams a response. @param onSend called when the request is built and handed to the network. */
  stream(request: ModelRequest, signal: AbortSignal, onSend?: () => void): AsyncIterable<ModelPart>;
}

export interface ModelRequest {
  system: string;
  tools: readonly ToolDefinition[];
  /** Append-only and byte-stable from one request of a session to the next. */
  messages: readonly ModelMessage[];
  effort?: "low" | "medium" | "high" | "xhigh" | "max";
  /** Whether later requests begin with these messages, so that their end should be cached. Default true. */
  isContinued?: boolean;
  /** The cache lifetime to ask for. By default, and for models without `hasHourCache`, the provider's own. */
  cacheTtl?: CacheTtl | undefined;
  /** Maximum tokens of the response, including thinking, when fewer than the model's own. */
  maxOutputTokens?: number;
  /** The number of failed requests with exactly these messages, by the log. Not sent to providers. */
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
 * A block of a response.
 * - `opaque`: provider data that must be sent back unchanged (signatures, item ids). It is stored and never
 *   interpreted.
 * - `malformed`: the input as the model wrote it, when that is not a JSON object; `input` is then empty.
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
  /** `blockIndex` identifies a block of the response; a delta has the index of its block. */
  | { type: "text_delta"; text: string; blockIndex: number }
  /** The model has begun to think. Sent once for a block, when it has content. */
  | { type: "thinking_started"; blockIndex: number }
  /** A complete block. Blocks come in the order in which the model began them. */
  | { type: "block"; block: AssistantBlock; blockIndex: number }
  | { type: "finish"; reason: FinishReason; usage: ModelUsage };

/** Why a response ended. `max_tokens`: it was truncated; its tool calls are dropped. */
export type FinishReason = "end_turn" | "tool_calls" | "max_tokens" | "refusal";

export type ModelErrorKind =
  | "overloaded"
  | "rate_limited"
  | "request_failed"
  | "authentication"
  | "not_found"
  | "context_overflow"
  | "interrupted_stream";

/** A provider's statement about a request that has, or may have, more tokens than the model takes. */
export interface Overflow {
  /**
   * True when the provider says so. False when it rejected the request (400 or 422) with a message about
   * tokens, length, context or prompt. A smaller request is then tried once if this one was larger than the
   * last that was accepted.
   */
  certain: boolean;
  /** Maximum tokens by the provider, mostly of input and output together; null if the message has none. */
  limit: number | null;
  /**
   * Tokens of the request by the provider's count, including the output limit if it counts that; null when
   * the message states none.
   */
  requested: number | null;
}

/** Thrown when a request to a model fails. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The delay in milliseconds that the provider asked for; null when it asked for none. */
  readonly retryAfterMs: number | null;
  /** Set for every `context_overflow`, and then `certain`, and for a `request_failed` that may be one. */
  readonly overflow: Overflow | null;
  /** Whether the provider rejected the request's content. It would reject it again. */
  readonly rejected: boolean;
  /** Whether it is sure that the provider charges nothing: it answered with an error instead of a response. */
  readonly isUnbilled: boolean;

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | null;
      overflow?: Overflow | null;
      rejected?: boolean;
      isUnbilled?: boolean;
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
    this.isUnbilled = options.isUnbilled ?? false;
  }
}
