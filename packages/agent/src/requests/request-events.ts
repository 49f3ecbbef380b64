import type { ModelUsage, NewEvent, SessionErrorType } from "@berth/contract";
import type { Draft } from "../history/log-entry.ts";
import { nestedDraft, type OpenPart } from "../history/nested-events.ts";
import type { ModelError, ModelErrorKind } from "../models/model.ts";

/** Creates the end of a request; `usage` is null when it failed or was aborted. */
export function requestEnd(start: string, usage: ModelUsage | null): Draft {
  return {
    event: {
      type: "span.model_request_end",
      model_request_start_id: start,
      is_error: usage === null,
      model_usage: usage,
    },
  };
}

/** Creates the ends of the requests that a dead process had begun in nested loops. */
export function endedPartRequests(parts: readonly OpenPart[]): Draft[] {
  return parts.flatMap(({ type, id, parent }) =>
    type === "request" ? [nestedDraft(requestEnd(id, null), parent)] : [],
  );
}

/** Creates the end of a request whose response is discarded, but whose usage counts. */
export function failedRequestEnd(start: string, usage: ModelUsage): Draft {
  return {
    event: {
      type: "span.model_request_end",
      model_request_start_id: start,
      is_error: true,
      model_usage: usage,
    },
  };
}

/** Creates the `session.error` of a failed request. */
export function errorEvent(error: ModelError, retry: "retrying" | "exhausted" | "terminal"): NewEvent {
  return {
    type: "session.error",
    error: { type: ERROR_TYPES[error.kind], message: error.message, retry_status: { type: retry } },
  };
}

const ERROR_TYPES: Readonly<Record<ModelErrorKind, SessionErrorType>> = {
  overloaded: "model_overloaded_error",
  rate_limited: "model_rate_limited_error",
  request_failed: "model_request_failed_error",
  authentication: "model_authentication_error",
  not_found: "model_not_found_error",
  context_overflow: "model_request_failed_error",
  interrupted_stream: "model_request_failed_error",
};
