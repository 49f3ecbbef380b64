/** The engine failed: a missing program, a failed mount, no free disk space. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

/** The image of a sandbox cannot be run. The message is one sentence for users, without paths. */
export class ImageError extends SandboxError {}

/** The sandbox cannot have its runtime class. The message is one sentence for users, without paths. */
export class RuntimeClassError extends SandboxError {}

/** There is no room for another sandbox now: others have it. The message is one sentence for users, without paths. */
export class NoRoomError extends SandboxError {
  /** Why, in the words of the host; empty when it does not say. */
  readonly why: string;

  constructor({ why = "", ...options }: ErrorOptions & { why?: string } = {}) {
    super(`There is no room for the session's sandbox now${why === "" ? "." : `: ${why}`}`, options);
    this.why = why;
  }
}

/** The sandbox waited for a place, or for what it needs there, for as long as it may. The message is one sentence for users, without paths. */
export class WaitOverError extends SandboxError {}

/** The disk has a limit, which this machine cannot enforce. The message is one sentence for users, without paths. */
export class DiskLimitError extends SandboxError {
  constructor(why: string, options?: ErrorOptions) {
    super(`The session's disk is limited (disk_mb), which this machine cannot enforce: ${why}.`, options);
  }
}
