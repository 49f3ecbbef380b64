import type { ErrorEnvelope, ErrorType } from "@berth/contract";

/** Base class of all errors of this package. Only the reason of an aborted signal is thrown as it is. */
export class BerthError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Error when there was no complete response. The cause is the error of `fetch`. */
export class ConnectionError extends BerthError {}

/**
 * Error when there is no secure connection: the server's certificate is not trusted, or it does not speak
 * TLS. The call is not retried. The cause is the error of `fetch`.
 */
export class TLSError extends BerthError {
  /** Whether the client does not know the certificate authority, and would have to trust its certificate. */
  readonly isUntrusted: boolean;

  constructor(message: string, isUntrusted: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isUntrusted = isUntrusted;
  }
}

/** Error when there was no response within the call's `timeout`. */
export class TimeoutError extends ConnectionError {}

/** Properties of an error response. */
export interface ErrorResponse {
  readonly status: number;
  /** Null if the response is not from Berth, such as a proxy's error page. */
  readonly type: ErrorType | null;
  readonly message: string;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly param: string | null;
  readonly code: string | null;
  /** Feature of a `feature_not_available` error; `availableFrom` is the beta identifier that activates it. */
  readonly feature: string | null;
  readonly availableFrom: string | null;
}

/**
 * Error response of the server. Distinguish errors by class or `type`, not by `status`: some conflicts of
 * session resources are `invalid_request_error` with 409.
 */
export class APIError extends BerthError implements ErrorResponse {
  readonly status: number;
  readonly type: ErrorType | null;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly param: string | null;
  readonly code: string | null;
  readonly feature: string | null;
  readonly availableFrom: string | null;

  constructor(response: ErrorResponse) {
    super(response.message);
    this.status = response.status;
    this.type = response.type;
    this.headers = response.headers;
    this.requestId = response.requestId;
    this.param = response.param;
    this.code = response.code;
    this.feature = response.feature;
    this.availableFrom = response.availableFrom;
  }
}

export class InvalidRequestError extends APIError {}
export class AuthenticationError extends APIError {}
export class PermissionError extends APIError {}
export class NotFoundError extends APIError {}
export class ConflictError extends APIError {}
/** Error when a limit is reached. With the header `retry-after`, waiting helps. */
export class RateLimitError extends APIError {}
export class InternalServerError extends APIError {}
export class FeatureNotAvailableError extends APIError {}

const CLASSES: Record<ErrorType, typeof APIError> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  not_found_error: NotFoundError,
  conflict_error: ConflictError,
  rate_limit_error: RateLimitError,
  api_error: InternalServerError,
  feature_not_available: FeatureNotAvailableError,
};

/** Reads the error from a response that is not 2xx. */
export async function readError(response: Response): Promise<APIError> {
  const envelope = parseEnvelope(await response.text());
  const error = envelope?.error;
  const type = error?.type ?? null;
  const known = type === null ? APIError : (CLASSES[type] ?? APIError);
  return new known({
    status: response.status,
    type,
    message: error?.message ?? defaultMessage(response, error),
    headers: response.headers,
    requestId:
      envelope?.request_id ?? response.headers.get("x-request-id") ?? response.headers.get("request-id"),
    param: error?.param ?? null,
    code: error?.code ?? null,
    feature: error?.feature ?? null,
    availableFrom: error?.available_from ?? null,
  });
}

function parseEnvelope(text: string): ErrorEnvelope | null {
  try {
    const value = JSON.parse(text) as Partial<ErrorEnvelope> | null;
    return typeof value?.error?.type === "string" ? (value as ErrorEnvelope) : null;
  } catch {
    return null;
  }
}

function defaultMessage(response: Response, error: ErrorEnvelope["error"] | undefined): string {
  if (error?.feature === undefined) return `${response.status} ${response.statusText}`.trimEnd();
  const how = error.available_from === undefined ? "" : ` It is activated by '${error.available_from}'.`;
  return `Feature '${error.feature}' is not available.${how}`;
}
