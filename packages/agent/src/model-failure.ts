import type { NewEvent, SessionErrorType } from "@berth/contract";
import type { ModelError, ModelErrorKind } from "./model.ts";

/** Milliseconds before the first, second and third retry. */
const retryDelays = [1_000, 2_000, 4_000];
const longestRetryAfterMs = 60_000;

/**
 * Milliseconds to wait before the request is tried again, or null when it is not: after three retries, or when it would
 * fail again. A provider that asks for a longer wait gets it, up to a minute.
 */
export function retryDelay(error: ModelError, failures: number): number | null {
  const delay = retryDelays[failures - 1];
  if (!error.retryable || delay === undefined) return null;
  return Math.max(delay, Math.min(error.retryAfterMs ?? 0, longestRetryAfterMs));
}

/** The `session.error` that tells of a failed request. */
export function errorEvent(error: ModelError, retry: "retrying" | "exhausted" | "terminal"): NewEvent {
  return {
    type: "session.error",
    error: { type: errorTypes[error.kind], message: error.message, retry_status: { type: retry } },
  };
}

const errorTypes: Readonly<Record<ModelErrorKind, SessionErrorType>> = {
  overloaded: "model_overloaded_error",
  rate_limited: "model_rate_limited_error",
  request_failed: "model_request_failed_error",
  authentication: "model_authentication_error",
  not_found: "model_not_found_error",
  context_overflow: "model_request_failed_error",
  interrupted_stream: "model_request_failed_error",
};
