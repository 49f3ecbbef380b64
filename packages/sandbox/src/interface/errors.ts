/** A failure of the engine, such as a missing program, a failed mount, or no free disk space. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

/** The root filesystem of sandboxes could not be built. The message is for users, without paths. */
export class RootFilesystemError extends SandboxError {
  /** @param why A clause. @param retryAt When the next build begins, in milliseconds since 1970. */
  constructor(why: string, retryAt: number) {
    const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1_000));
    const reason = why.replaceAll(/\s*\n\s*/g, " ");
    super(`The system of sandboxes could not be built: ${reason}. The next try is in ${seconds} s.`);
  }
}

/** The image of a sandbox cannot be run. The message is one sentence for users, without paths. */
export class ImageError extends SandboxError {}

/** The sandbox cannot have its runtime class. The message is one sentence for users, without paths. */
export class RuntimeClassError extends SandboxError {}

/**
 * There is no room for another sandbox, because others occupy it. The message is one sentence for users,
 * without paths.
 */
export class NoRoomError extends SandboxError {
  /** The reason in the words of the host; empty when it does not say. */
  readonly why: string;

  constructor({ why = "", ...options }: ErrorOptions & { why?: string } = {}) {
    super(`There is no room for the session's sandbox now${why === "" ? "." : `: ${why}`}`, options);
    this.why = why;
  }
}

/**
 * The sandbox waited for a host, or for its image or disk there, until the time limit. The message is one
 * sentence for users, without paths.
 */
export class WaitOverError extends SandboxError {}

/**
 * The disk has a limit that this machine cannot enforce. The message is one sentence for users, without
 * paths.
 */
export class DiskLimitError extends SandboxError {
  constructor(why: string, options?: ErrorOptions) {
    super(`The session's disk is limited (disk_mb), which this machine cannot enforce: ${why}.`, options);
  }
}

/** A pod is lost for a reason outside it: its node is drained or gone, or the connection to it was cut. */
export class PodLostError extends SandboxError {}
