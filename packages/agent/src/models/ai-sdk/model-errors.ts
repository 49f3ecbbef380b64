import { ModelError, type ModelErrorKind } from "../model.ts";
import { MalformedToolCall } from "./response-builder.ts";
import type { Exchange } from "./transport.ts";

/**
 * Converts any error, thrown or streamed, to a `ModelError`. Its message has the provider's name and message, without keys and
 * header values. It has no cause, because the AI SDK's errors contain the whole request.
 */
export function toModelError(error: unknown, provider: string, exchange: Exchange): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof MalformedToolCall)
    return new ModelError("request_failed", error.message, { retryable: true });
  if (exchange.timedOut) return idleTimeout(provider, exchange);
  const failure = readFailure(error);
  if (failure.status === 407 && exchange.proxy !== null) return proxyLogin(provider, exchange.proxy);
  if (failure.status !== null && failure.status >= 400)
    return providerError(failure, failure.status, provider, exchange);
  if (failure.streamed) return providerError(failure, null, provider, exchange);
  if (exchange.responseStarted) return interruptedStream(provider);
  if (failure.network) {
    const through = exchange.proxy === null ? "" : ` through the outgoing proxy ${exchange.proxy}`;
    return new ModelError("request_failed", `${provider} could not be reached${through}.`, {
      retryable: true,
    });
  }
  const name = error instanceof Error ? error.name : typeof error;
  return new ModelError("request_failed", `The request to ${provider} failed (${name}).`, {
    retryable: false,
  });
}

function proxyLogin(provider: string, proxy: string): ModelError {
  const message = `${provider} could not be reached: the outgoing proxy ${proxy} demands another user and password (407).`;
  return new ModelError("request_failed", message, { retryable: false });
}

export function interruptedStream(provider: string): ModelError {
  const message = `The response of ${provider} ended before it was complete.`;
  return new ModelError("interrupted_stream", message, { retryable: true });
}

/** The request fit into the context window, but the response did not. */
export function windowExceeded(provider: string): ModelError {
  const message = `The response of ${provider} exceeded the context window.`;
  return new ModelError("context_overflow", message, { retryable: false });
}

function idleTimeout(provider: string, exchange: Exchange): ModelError {
  const kind = exchange.responseStarted ? "interrupted_stream" : "request_failed";
  return new ModelError(kind, `${provider} sent no data for too long.`, { retryable: true });
}

/** A failure as the AI SDK reports it, in any of its shapes. */
interface Failure {
  status: number | null;
  /** The provider's message. */
  message: string;
  /** The provider's error codes and types, separated by spaces. */
  codes: string;
  headers: Record<string, string>;
  network: boolean;
  /** The provider sent the error within its stream. */
  streamed: boolean;
}

function readFailure(error: unknown): Failure {
  const fields = isObject(error) ? error : {};
  const body = parsed(fields.responseBody) ?? fields.data ?? (error instanceof Error ? null : error);
  const code = httpStatus(fields.statusCode) ?? httpStatus(fields.code);
  return {
    status: code,
    message: typeof fields.message === "string" ? fields.message : "",
    codes: [fields.type, fields.code, ...codesOf(body)]
      .filter((value) => typeof value === "string")
      .join(" "),
    headers: isObject(fields.responseHeaders) ? (fields.responseHeaders as Record<string, string>) : {},
    network: fields.isRetryable === true,
    streamed: isObject(error) && !(error instanceof Error),
  };
}

function codesOf(body: unknown): unknown[] {
  if (!isObject(body)) return [];
  const inner = isObject(body.error) ? body.error : isObject(body.response) ? body.response.error : null;
  return [body.type, body.code, ...(isObject(inner) ? [inner.type, inner.code] : [])];
}

function providerError(
  failure: Failure,
  status: number | null,
  provider: string,
  exchange: Exchange,
): ModelError {
  const kind = kindOf(status, failure);
  const retryable = isRetryable(kind, status, failure);
  return new ModelError(kind, sentence(kind, status, failure, provider, exchange.secrets), {
    retryable,
    retryAfterMs: retryable ? retryAfter(failure.headers) : null,
  });
}

function kindOf(status: number | null, failure: Failure): ModelErrorKind {
  if (status === 401 || status === 403) return "authentication";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  if (status === 413 || CONTEXT_OVERFLOW.test(`${failure.codes} ${failure.message}`))
    return "context_overflow";
  if (status === 529 || status === 503 || /overloaded/.test(failure.codes)) return "overloaded";
  return "request_failed";
}

/** The messages of Anthropic, OpenAI, vLLM, llama.cpp and gateways in front of them. */
const CONTEXT_OVERFLOW =
  /prompt is too long|context_length_exceeded|exceed_context_size|maximum context length|context (window|length|limit|size)|input (is|length) too long|input tokens exceed/i;

function isRetryable(kind: ModelErrorKind, status: number | null, failure: Failure): boolean {
  if (kind === "overloaded") return true;
  if (kind === "rate_limited") return !/insufficient_quota|billing/.test(failure.codes);
  if (kind !== "request_failed") return false;
  return status === null || status >= 500 || status === 408 || status === 409 || status === 425;
}

function sentence(
  kind: ModelErrorKind,
  status: number | null,
  failure: Failure,
  provider: string,
  secrets: readonly string[],
): string {
  if (kind === "authentication") return `${provider} rejected the API key (${status}).`;
  const message = redacted(failure.message, secrets);
  const outcome = status === null ? "aborted its response" : `answered ${status}`;
  return `${provider} ${outcome}${message === "" ? "" : `: ${message}`}`;
}

/** At most 500 characters, on one line. Text that looks like a key is removed too: providers repeat keys in part. */
function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter((secret) => secret !== "")
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  const line = known.replace(/\b(sk|key|bearer)[-_ ][\w*.-]{8,}/gi, "[secret]").replace(/\s+/g, " ");
  return line.trim().slice(0, 500);
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Record<string, string>): number | null {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const given = headers["retry-after"];
  if (given === undefined || given.trim() === "") return null;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

function httpStatus(value: unknown): number | null {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && status >= 100 && status <= 599 ? status : null;
}

function parsed(text: unknown): unknown {
  if (typeof text !== "string") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
