import type { ErrorType } from "@berth/contract";

/** What an operator asked for cannot be done. The message is one sentence for people. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  /** What it is as an error of the API. */
  readonly type: ErrorType;

  constructor(message: string, type: ErrorType = "conflict_error") {
    super(message);
    this.type = type;
  }
}

/** It names something that cannot be taken, such as a place or a key. Nothing was done. */
export class InputError extends OperatorError {
  constructor(message: string) {
    super(message, "invalid_request_error");
  }
}
