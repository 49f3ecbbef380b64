import { type BetaFeature, ERROR_STATUS, type ErrorType, type IdKind } from "@berth/contract";

interface Details {
  message: string;
  param?: string | undefined;
  feature?: BetaFeature;
  code?: string | undefined;
  /** HTTP status. Default: the type's. */
  status?: number;
  /** The limit that was reached, for the log. */
  limit?: string;
  headers?: Record<string, string>;
}

/**
 * An error that the API returns: thrown by rules and handlers, sent as the error envelope, never logged as a
 * failure.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly type: ErrorType;
  readonly status: number;
  readonly param: string | undefined;
  /** The feature that is not available; it is sent in place of the message. */
  readonly feature: BetaFeature | undefined;
  readonly code: string | undefined;
  readonly headers: Record<string, string>;
  readonly limit: string | undefined;
  /** The kind of object that a request referred to and cannot use; absent for other errors. */
  about: IdKind | undefined;

  constructor(type: ErrorType, details: Details) {
    super(details.message);
    this.type = type;
    this.status = details.status ?? ERROR_STATUS[type];
    this.param = details.param;
    this.feature = details.feature;
    this.code = details.code;
    this.headers = details.headers ?? {};
    this.limit = details.limit;
  }
}

/** Creates a 401 error, with the challenge that HTTP requires. */
export function unauthenticated(message: string): ApiError {
  return new ApiError("authentication_error", { message, headers: { "www-authenticate": "Bearer" } });
}

/** Creates a 403 error. */
export function forbidden(message: string): ApiError {
  return new ApiError("permission_error", { message });
}

/** Creates a 404 error. */
export function notFound(message: string, param?: string): ApiError {
  return new ApiError("not_found_error", { message, param });
}

/** Creates a 409 error. */
export function conflict(message: string, param?: string): ApiError {
  return new ApiError("conflict_error", { message, param });
}

/** Creates a 409 error with the type that conflicts have when a resource is added to a session. */
export function resourceConflict(message: string, param?: string): ApiError {
  return new ApiError("invalid_request_error", { message, param, status: 409 });
}

/**
 * Creates a 400 error for a body that is not fully received. It closes the connection, which cannot be
 * reused.
 */
export function unread(message: string, param?: string): ApiError {
  return new ApiError("invalid_request_error", { message, param, headers: { connection: "close" } });
}

/** Returns the error with the kind of object that it is about, unless it has one. */
export function about(kind: IdKind, error: ApiError): ApiError {
  error.about ??= kind;
  return error;
}
