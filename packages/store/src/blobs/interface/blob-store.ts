import type { Readable } from "node:stream";
import type { LocalBlob, StagedBlob } from "./blob.ts";
import type { PartialBlob } from "./partial-blob.ts";

/**
 * Contents of files, which several processes share. Equal contents are stored once, and none is ever changed. What is complete
 * is staged, and then kept in the transaction that stores the row it belongs to, under a lock on its name.
 */
export interface BlobStore {
  /** The store's own name: processes that share the store read the same one. */
  id(): Promise<string>;
  /** Writes a small content, reads it and removes it. @throws one sentence for the operator. */
  check(): Promise<void>;
  /** Takes what the source yields. When the source or the store fails, nothing is left. */
  stage(source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /**
   * Stores contents that are in memory, each under its name, as `stage` and `keep` do for one. All are durable when this resolves; when
   * it rejects, some may be stored.
   */
  storeAll(contents: ReadonlyMap<string, Buffer>): Promise<void>;
  /** A content that arrives in parts. */
  partial(fileId: string): PartialBlob;
  /** Of which files there are partial contents. */
  partialNames(): Promise<string[]>;
  /** The bytes, or those from `start` to `end`, inclusive. Fails with the code ENOENT when the content does not exist. */
  read(sha256: string, range?: { start: number; end: number }): Readable;
  /** Does nothing if the content does not exist. */
  remove(sha256: string): Promise<void>;
  /** The content as a file of this host. Fails as `read` does. */
  local(sha256: string): Promise<LocalBlob>;
  /** The names of all contents, some hundreds at a time. */
  names(): AsyncGenerator<string[]>;
  /** Milliseconds since the content was written; 0 when it does not exist. */
  age(sha256: string): Promise<number>;
  /**
   * Removes what dead processes of this machine have staged, and what was staged and not written to for a time.
   *
   * @param abandonedMs Default: a day.
   */
  removeAbandoned(abandonedMs?: number): Promise<void>;
  /** Removes the copies on this host of contents that are used no longer. @param areUsed those of the contents that are. */
  removeCopies(areUsed: (names: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
  close(): void;
}
