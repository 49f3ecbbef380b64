import type { ErrorType } from "@berth/contract";

/** Thrown when an operator's request cannot be done. The message is one sentence for people. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  /** The type of the corresponding API error. */
  readonly type: ErrorType;

  constructor(message: string, type: ErrorType = "conflict_error") {
    super(message);
    this.type = type;
  }
}

/**
 * Thrown when a request names something that cannot be used, such as a place or a key. Nothing was changed.
 */
export class InputError extends OperatorError {
  constructor(message: string) {
    super(message, "invalid_request_error");
  }
}
