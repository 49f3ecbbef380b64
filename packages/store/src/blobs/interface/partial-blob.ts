import type { StagedBlob } from "./blob.ts";

/** Bytes that were written are no longer there. */
export class ContentLostError extends Error {
  override readonly name = "ContentLostError";
}

/** Another request goes on with the content, or it was removed. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** Takes the number of bytes that are durably stored. */
export type OnSynced = (size: number) => Promise<void>;

/** How many bytes may be written between two syncs. A process that dies loses at most these. */
export const SYNC_BYTES = 8 * 1_048_576;

/** A content that arrives in parts, over any number of requests, processes and restarts. It has one writer at a time. */
export interface PartialBlob {
  /**
   * Appends the source after the first `start` bytes; at 0 it starts anew. `onSynced` is called from time to time, and when
   * the source ends or fails, with the number of bytes that are durably stored. A failure of the source is thrown after that.
   *
   * @throws ContentLostError when there are fewer than `start` bytes, SupersededError when another request goes on.
   */
  append(start: number, source: AsyncIterable<Uint8Array>, onSynced: OnSynced): Promise<void>;
  /** The first `size` bytes as a complete content. They remain here too until `remove`. @throws ContentLostError, SupersededError */
  stage(size: number): Promise<StagedBlob>;
  /** Does nothing if there are none. */
  remove(): Promise<void>;
}
