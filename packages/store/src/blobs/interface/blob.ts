/** A stored content. Its name is its SHA-256 in hexadecimal. */
export interface Blob {
  sha256: string;
  size: number;
}

/** A content as a file on this host, which does not change until `release`. */
export interface LocalBlob {
  path: string;
  release(): Promise<void>;
}

/**
 * A complete content that is not stored yet. Its owner calls `keep` or `discard`; `discard` after `keep` does
 * nothing.
 */
export interface StagedBlob extends Blob {
  /** Returns the content as a file on this host. Call it before `keep` or `discard`. */
  local(): Promise<LocalBlob>;
  /** Resolves when the content is durably stored under its name. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}
