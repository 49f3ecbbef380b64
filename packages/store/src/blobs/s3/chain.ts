import type { Part } from "./part-store.ts";

/** The first bytes of a content, without a gap. */
export interface Chain {
  /** Parts of the upload, in order. */
  parts: Part[];
  /** What is after them. */
  tail: Part | null;
  /** How many bytes of the tail count. */
  tailBytes: number;
  /** What was received and is not among the first bytes. */
  others: Part[];
}

/** The first `size` bytes of what was received. Null when there are fewer. */
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
