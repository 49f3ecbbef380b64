export type RefusalType = "NOT_FOUND" | "FORBIDDEN" | "UNPROCESSABLE";

/** A refusal in the words and with the `type` by which GitHub's API tells it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly type: RefusalType;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(type: RefusalType, message: string, extensions: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.type = type;
    this.extensions = extensions;
  }
}
