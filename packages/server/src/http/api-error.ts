import { type BetaFeature, ERROR_STATUS, type ErrorType } from "@berth/contract";

/** What an error says beside its type. */
interface Details {
  message: string;
  param?: string | undefined;
  feature?: BetaFeature;
  code?: string | undefined;
  status?: number;
  headers?: Record<string, string>;
}

/** A refusal: thrown by rules and handlers, rendered as the error envelope, never logged as a failure. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly type: ErrorType;
  readonly status: number;
  readonly param: string | undefined;
  /** What is not available, told in place of the message. */
  readonly feature: BetaFeature | undefined;
  readonly code: string | undefined;
  readonly headers: Record<string, string>;

  constructor(type: ErrorType, details: Details) {
    super(details.message);
    this.type = type;
    this.status = details.status ?? ERROR_STATUS[type];
    this.param = details.param;
    this.feature = details.feature;
    this.code = details.code;
    this.headers = details.headers ?? {};
  }
}

/** 401, with the challenge that HTTP asks for. */
export function unauthenticated(message: string): ApiError {
  return new ApiError("authentication_error", { message, headers: { "www-authenticate": "Bearer" } });
}

/** 403. */
export function forbidden(message: string): ApiError {
  return new ApiError("permission_error", { message });
}

/** 404. */
export function notFound(message: string, param?: string): ApiError {
  return new ApiError("not_found_error", { message, param });
}

/** 409. */
export function conflict(message: string, param?: string): ApiError {
  return new ApiError("conflict_error", { message, param });
}

/** 409 of the type with which adding a resource labels a conflict. */
export function resourceConflict(message: string, param?: string): ApiError {
  return new ApiError("invalid_request_error", { message, param, status: 409 });
}

/** 400; part of the body is still on the way, so that the connection is of no more use. */
export function unread(message: string, param?: string): ApiError {
  return new ApiError("invalid_request_error", { message, param, headers: { connection: "close" } });
}
