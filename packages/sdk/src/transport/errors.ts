import type { ErrorEnvelope, ErrorType } from "@berth/contract";

/** Whatever this package throws, but for the reason of an aborted signal, which is thrown as it is. */
export class BerthError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No answer, or not a whole one: refused, reset, cut. The cause is the error of `fetch`. */
export class ConnectionError extends BerthError {}

/** No answer within the call's `timeout`. */
export class TimeoutError extends ConnectionError {}

/** What is known of a refusal. */
export interface Refusal {
  readonly status: number;
  /** Null when the answer is not Berth's, such as a proxy's error page. */
  readonly type: ErrorType | null;
  readonly message: string;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly param: string | null;
  readonly code: string | null;
  /** With `feature_not_available`: what is asked for, and the beta identifier that activates it. */
  readonly feature: string | null;
  readonly availableFrom: string | null;
}

/**
 * The server refused. Tell refusals apart by class or by `type`, never by `status`: some conflicts of session
 * resources are `invalid_request_error` with 409.
 */
export class APIError extends BerthError implements Refusal {
  readonly status: number;
  readonly type: ErrorType | null;
  readonly headers: Headers;
  readonly requestId: string | null;
  readonly param: string | null;
  readonly code: string | null;
  readonly feature: string | null;
  readonly availableFrom: string | null;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.type = refusal.type;
    this.headers = refusal.headers;
    this.requestId = refusal.requestId;
    this.param = refusal.param;
    this.code = refusal.code;
    this.feature = refusal.feature;
    this.availableFrom = refusal.availableFrom;
  }
}

export class InvalidRequestError extends APIError {}
export class AuthenticationError extends APIError {}
export class PermissionError extends APIError {}
export class NotFoundError extends APIError {}
export class ConflictError extends APIError {}
export class InternalServerError extends APIError {}
export class FeatureNotAvailableError extends APIError {}

const classes: Record<ErrorType, typeof APIError> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  not_found_error: NotFoundError,
  conflict_error: ConflictError,
  api_error: InternalServerError,
  feature_not_available: FeatureNotAvailableError,
};

/** Reads the body of an answer that is not 2xx. */
export async function refusalOf(response: Response): Promise<APIError> {
  const envelope = envelopeIn(await response.text());
  const error = envelope?.error;
  const type = error?.type ?? null;
  const known = type === null ? APIError : (classes[type] ?? APIError);
  return new known({
    status: response.status,
    type,
    message: error?.message ?? messageWithout(response, error),
    headers: response.headers,
    requestId:
      envelope?.request_id ?? response.headers.get("x-request-id") ?? response.headers.get("request-id"),
    param: error?.param ?? null,
    code: error?.code ?? null,
    feature: error?.feature ?? null,
    availableFrom: error?.available_from ?? null,
  });
}

function envelopeIn(text: string): ErrorEnvelope | null {
  try {
    const value = JSON.parse(text) as Partial<ErrorEnvelope> | null;
    return typeof value?.error?.type === "string" ? (value as ErrorEnvelope) : null;
  } catch {
    return null;
  }
}

function messageWithout(response: Response, error: ErrorEnvelope["error"] | undefined): string {
  if (error?.feature === undefined) return `${response.status} ${response.statusText}`.trimEnd();
  const how = error.available_from === undefined ? "" : ` It is activated by '${error.available_from}'.`;
  return `Feature '${error.feature}' is not available.${how}`;
}
