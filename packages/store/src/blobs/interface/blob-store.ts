import type { Readable } from "node:stream";
import type { LocalBlob, StagedBlob } from "./blob.ts";
import type { PartialBlob } from "./partial-blob.ts";

/**
 * A store of file contents, which several processes share. Equal contents are stored once, and no content
 * ever changes. A complete content is first staged, then kept in the transaction that stores its row, under a
 * lock on its name.
 */
export interface BlobStore {
  /** Returns the store's own id, which is the same for all processes that share the store. */
  id(): Promise<string>;
  /**
   * Writes, reads and removes a small content.
   * @throws an error of one sentence for the operator.
   */
  check(): Promise<void>;
  /** Stores what the source yields. When the source or the store fails, nothing remains. */
  stage(source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /**
   * Stores contents from memory under their names, as `stage` and `keep` do for one. All are durable when
   * this resolves; some may be stored when it rejects.
   */
  storeAll(contents: ReadonlyMap<string, Buffer>): Promise<void>;
  /** Returns the partial content of a file, which arrives in parts. */
  partial(fileId: string): PartialBlob;
  /** Returns the ids of the files that have partial contents. */
  partialNames(): Promise<string[]>;
  /**
   * Streams the bytes, or those from `start` to `end`, inclusive. Fails with the code ENOENT when the content
   * does not exist.
   */
  read(sha256: string, range?: { start: number; end: number }): Readable;
  /** Removes a content. Does nothing if it does not exist. */
  remove(sha256: string): Promise<void>;
  /** Returns the content as a file on this host. Fails as `read` does. */
  local(sha256: string): Promise<LocalBlob>;
  /** Yields the names of all contents, some hundreds at a time. */
  names(): AsyncGenerator<string[]>;
  /** Returns the milliseconds since the content was written; 0 when it does not exist. */
  age(sha256: string): Promise<number>;
  /**
   * Removes what dead processes of this machine have staged, and what was staged and not written to for
   * `abandonedMs`.
   * @param abandonedMs Default: a day.
   */
  removeAbandoned(abandonedMs?: number): Promise<void>;
  /**
   * Removes this host's copies of contents that are not in use.
   * @param areUsed Returns which of the names are in use.
   */
  removeCopies(areUsed: (names: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
  close(): void;
}
