/** A stored content. Its name is its SHA-256 in hexadecimal. */
export interface Blob {
  sha256: string;
  size: number;
}

/** A complete content that is not stored yet. The owner calls `keep` or `discard`; `discard` after `keep` does nothing. */
export interface StagedBlob extends Blob {
  /** Its path on this host until then. */
  path: string;
  /** Resolves when the content is durably stored under its name. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}
