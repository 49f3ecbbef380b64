/** A stored content: its SHA-256 in hexadecimal is its name. */
export interface Blob {
  sha256: string;
  size: number;
}

/** A content that was taken in whole and is not stored yet. One of `keep` and `discard` is called; a `discard` after `keep` changes nothing. */
export interface StagedBlob extends Blob {
  /** Where it lies on this host until then. */
  path: string;
  /** The content is on disk, under its name, when this resolves. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}
