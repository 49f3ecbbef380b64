import { ModelError, type ModelErrorKind, type Overflow } from "../model.ts";
import { overflowOf } from "./overflow.ts";
import { type ProviderWords, providerWords } from "./provider-words.ts";
import { redacted } from "./redact.ts";
import { retryAfter } from "./retry-after.ts";
import type { Exchange } from "./transport.ts";

/**
 * Converts any error, thrown or streamed, to a `ModelError`. Its message has the provider's name and message,
 * without keys and header values. It has no cause, because the AI SDK's errors contain the whole request.
 */
export function toModelError(error: unknown, provider: string, exchange: Exchange): ModelError {
  if (error instanceof ModelError) return error;
  if (exchange.timedOut) return idleTimeout(provider, exchange);
  if (exchange.failure !== null)
    return providerError(noted(exchange.failure.body, exchange.failure.isWhole), provider, exchange);
  const failure = readFailure(error);
  if (failure.status === 407 && exchange.proxy !== null) return proxyLogin(provider, exchange.proxy);
  if ((failure.status ?? 0) >= 400) return providerError(failure, provider, exchange);
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

/** Creates the error for an incomplete response. `reason` is the provider's finish reason, if it gave one. */
export function interruptedStream(provider: string, reason: string | null = null): ModelError {
  const word = reason === null ? "" : ` (${reason.replaceAll(/\s+/g, " ").slice(0, 80).toWellFormed()})`;
  const message = `The response of ${provider} ended before it was complete${word}.`;
  return new ModelError("interrupted_stream", message, { retryable: true });
}

/** Creates the error for a request that fit into the context window but whose response did not. */
export function windowExceeded(provider: string): ModelError {
  const message = `The response of ${provider} exceeded the context window.`;
  return new ModelError("context_overflow", message, { retryable: false });
}

function idleTimeout(provider: string, exchange: Exchange): ModelError {
  const kind = exchange.responseStarted ? "interrupted_stream" : "request_failed";
  return new ModelError(kind, `${provider} sent no data for too long.`, { retryable: true });
}

interface Failure {
  status: number | null;
  words: ProviderWords;
  headers: Record<string, string>;
  network: boolean;
}

/** Reads a failure as the AI SDK reports it. */
function readFailure(error: unknown): Failure {
  const fields = isObject(error) ? error : {};
  const words = providerWords(fields.responseBody ?? fields.data);
  const reason = typeof fields.message === "string" ? fields.message : "";
  return {
    status: httpStatus(fields.statusCode),
    words: words.message === "" ? { ...words, message: reason } : words,
    headers: isObject(fields.responseHeaders) ? (fields.responseHeaders as Record<string, string>) : {},
    network: fields.isRetryable === true,
  };
}

/** Reads a failure that the server reported after a success status. A status in the body takes precedence. */
function noted(body: unknown, isWhole: boolean): Failure {
  const words = providerWords(body);
  const message = words.message === "" && isWhole ? "The answer is no stream of events." : words.message;
  const status = statusIn(words.json) ?? (isWhole ? 200 : null);
  return { status, words: { ...words, message }, headers: {}, network: false };
}

function providerError(failure: Failure, provider: string, exchange: Exchange): ModelError {
  const { status, words } = failure;
  const overflow = overflowOf(status, words);
  const kind = kindOf(failure, overflow);
  const retryAfterMs = retryAfter(failure.headers, words);
  const retryable = isRetryable(kind, failure, retryAfterMs !== null);
  return new ModelError(kind, sentence(kind, failure, provider, exchange.secrets), {
    retryable,
    retryAfterMs: retryable ? retryAfterMs : null,
    overflow,
    rejected: kind === "context_overflow" || (kind === "request_failed" && isRejected(failure)),
    isUnbilled: (status ?? 0) >= 400 && !exchange.responseStarted,
  });
}

/** Returns whether the provider rejected the request's content, rather than a lack of credit. */
function isRejected({ status, words }: Failure): boolean {
  return [400, 413, 415, 422].includes(status ?? 0) && !SPENT.test(`${words.codes} ${words.message}`);
}

function kindOf({ status, words }: Failure, overflow: Overflow | null): ModelErrorKind {
  const text = `${words.codes} ${words.message}`;
  if (status === 401 || KEY_REJECTED.test(text)) return "authentication";
  if (status === 404 || (status === 403 && /model_not_found/.test(words.codes))) return "not_found";
  if (overflow?.certain && status !== 403) return "context_overflow";
  if (/overload/i.test(words.codes) || [498, 503, 529].includes(status ?? 0)) return "overloaded";
  if (status === 429 || /rate_?limit/i.test(words.codes)) return "rate_limited";
  return "request_failed";
}

/** Texts for a rejected key: the statuses 400 and 403 have other meanings as well. */
const KEY_REJECTED =
  /(invalid|incorrect|wrong|missing|expired|revoked)[ _-](x-)?api[ _-]?key|api[ _-]?key[ _-](is )?(invalid|not valid|missing|expired)|\bauthentication_error|authenticationerror|invalid_authentication/i;

/** Codes and texts for an account without credit, for which a retry cannot help. */
const SPENT =
  /insufficient_(quota|balance|credits?)|exceeded_current_quota|quota_exceeded|billing|arrearage|credits? (balance|exhausted)/i;

/** Messages that mean no credit. Gemini mentions billing also for limits that reset in seconds. */
const UNPAID = /insufficient balance|please recharge/i;

function isRetryable(kind: ModelErrorKind, { status, words }: Failure, hasDelay: boolean): boolean {
  if (kind === "overloaded") return true;
  if (kind === "rate_limited") return hasDelay || !(SPENT.test(words.codes) || UNPAID.test(words.message));
  if (kind !== "request_failed") return false;
  return status === null || status >= 500 || [408, 409, 424, 425].includes(status);
}

function sentence(
  kind: ModelErrorKind,
  { status, words }: Failure,
  provider: string,
  secrets: readonly string[],
): string {
  const message = redacted(words.message, secrets);
  const outcome =
    kind === "authentication"
      ? `rejected the API key${status === null ? "" : ` (${status})`}`
      : status === null
        ? "aborted its response"
        : `answered ${status}`;
  return `${provider} ${outcome}${message === "" ? "" : `: ${message}`}`;
}

/** Returns the HTTP status in the body of an error whose response had begun with 200. */
function statusIn(json: unknown): number | null {
  const error = isObject(json) && isObject(json.error) ? json.error : json;
  if (!isObject(error)) return null;
  return httpStatus(error.code) ?? httpStatus(error.status) ?? httpStatus(error.status_code);
}

function httpStatus(value: unknown): number | null {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && status >= 100 && status <= 599 ? status : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
