/** The engine could not do its part: a missing program, a refused mount, no free disk. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

/** The image of a sandbox cannot be run. The message is one sentence for users, without paths. */
export class ImageError extends SandboxError {}

/** A disk is to be limited and this machine cannot do that. The message is one sentence for users, without paths. */
export class DiskLimitError extends SandboxError {
  constructor(why: string, options?: ErrorOptions) {
    super(`The session's disk is limited (disk_mb), which this machine cannot enforce: ${why}.`, options);
  }
}
