import type { StagedBlob } from "./blob.ts";

/** Thrown when bytes that were written are gone. */
export class ContentLostError extends Error {
  override readonly name = "ContentLostError";
}

/** Thrown when another request has taken over the content, or the content was removed. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/** Receives the number of bytes that are durably stored. */
export type OnSynced = (size: number) => Promise<void>;

/** The maximum number of bytes between two syncs, and so the most that is lost when a process dies. */
export const SYNC_BYTES = 8 * 1_048_576;

/**
 * A content that arrives in parts, over any number of requests, processes and restarts. It has one writer at
 * a time.
 */
export interface PartialBlob {
  /**
   * Appends the source after the first `start` bytes; at 0 it starts over. It calls `onSynced` with the
   * number of durably stored bytes from time to time, and when the source ends or fails. It throws a failure
   * of the source after that.
   * @throws ContentLostError when there are fewer than `start` bytes, SupersededError when another request
   * takes over.
   */
  append(start: number, source: AsyncIterable<Uint8Array>, onSynced: OnSynced): Promise<void>;
  /**
   * Stages the first `size` bytes as a complete content. They remain here too until `remove`.
   * @throws ContentLostError, SupersededError
   */
  stage(size: number): Promise<StagedBlob>;
  /** Removes the bytes. Does nothing if there are none. */
  remove(): Promise<void>;
}
