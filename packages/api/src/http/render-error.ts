import { BETA_FEATURES, type ErrorEnvelope } from "@berth/contract";
import { BlobsUnavailableError } from "@berth/store/blobs";
import { DatabaseUnavailableError } from "@berth/store/db";
import { ApiError, errors } from "@berth/store/errors";
import type { Logger } from "pino";
import { commonHeaders } from "./headers.ts";

export interface RenderedError {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Renders the response of an error. All error responses are made here. */
export function renderError(error: ApiError, requestId: string): RenderedError {
  const envelope: ErrorEnvelope = {
    type: "error",
    request_id: requestId,
    error: { type: error.type, ...fieldsOf(error) },
  };
  return {
    status: error.status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      ...commonHeaders(requestId),
      ...(error.status < 500 ? { "x-should-retry": "false" } : {}),
      ...error.headers,
    },
    body: JSON.stringify(envelope),
  };
}

/**
 * Converts any error to an API error. Logs one that is the service's fault with its cause, which the client
 * does not see.
 *
 * @param request fields of the request for the log.
 */
export function toApiError(error: unknown, log: Logger, request: Record<string, string>): ApiError {
  if (error instanceof ApiError) {
    if (error.status >= 500 && error.type === "api_error")
      log.error({ err: error, ...request }, "a request failed");
    return error;
  }
  const { statusCode: status, code } = error as { statusCode?: unknown; code?: unknown };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return errors.unknownContentType();
  if (typeof status === "number" && status >= 400 && status < 500) {
    return errors.invalid(`The request is not valid: ${(error as Error).message}`);
  }
  log.error({ err: error, ...request }, "a request failed");
  if (error instanceof BlobsUnavailableError) return errors.contentsUnavailable();
  return error instanceof DatabaseUnavailableError ? errors.unavailable() : errors.internal();
}

function fieldsOf({ message, param, code, feature }: ApiError): Omit<ErrorEnvelope["error"], "type"> {
  if (feature !== undefined) return { feature, available_from: BETA_FEATURES[feature] };
  return {
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  };
}
