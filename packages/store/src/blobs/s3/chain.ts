import type { Part } from "./part-store.ts";

/** The contiguous first bytes of a content. */
export interface Chain {
  /** Parts of the multipart upload, in order. */
  parts: Part[];
  /** The object with the bytes after the parts, or null. */
  tail: Part | null;
  /** The number of the tail's bytes that belong to the chain. */
  tailBytes: number;
  /** Received parts that do not belong to the chain. */
  others: Part[];
}

/** Returns the chain of the first `size` received bytes, or null when there are fewer. */
export function chainOf(received: readonly Part[], size: number): Chain | null {
  const parts: Part[] = [];
  let at = 0;
  for (let next = partAt(received, at, size); next !== undefined; next = partAt(received, at, size)) {
    parts.push(next);
    at += next.size;
  }
  const tailBytes = size - at;
  const tail = received.find((part) => part.tail && part.firstByte === at && part.size >= tailBytes);
  if (tailBytes > 0 && tail === undefined) return null;
  const used = new Set([...parts, ...(tailBytes > 0 ? [tail] : [])]);
  return {
    parts,
    tail: tailBytes > 0 ? (tail ?? null) : null,
    tailBytes,
    others: received.filter((part) => !used.has(part)),
  };
}

function partAt(received: readonly Part[], at: number, size: number): Part | undefined {
  return received.find((part) => !part.tail && part.firstByte === at && at + part.size <= size);
}
