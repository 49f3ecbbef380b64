/** Why a host did not do what it was asked. */
export interface HostFault {
  /** `authentication`: it rejects the connection's credential. `unknown`: anything else. */
  kind: "authentication" | "forbidden" | "not_found" | "unknown";
  /** Whether the same request may succeed later. Default: false. */
  transient?: boolean;
  /** Milliseconds that the host asks to wait; null when it does not say. */
  retryAfterMs?: number | null;
}

/** A host's failure, in one sentence without any secret. */
export class GitHostError extends Error {
  override readonly name = "GitHostError";
  readonly fault: HostFault;

  constructor(message: string, fault: HostFault) {
    super(message);
    this.fault = fault;
  }
}
