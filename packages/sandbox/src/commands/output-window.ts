const NEWLINE = 10;

/** Keeps the head and the tail of a stream in bounded memory, cut between lines. */
export class OutputWindow {
  readonly #limit: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #total = 0;

  /** @param limit Maximum number of bytes that `result` returns. */
  constructor(limit: number) {
    this.#limit = Math.max(0, Math.floor(limit));
  }

  /** Whether more than the limit was pushed. Until then, `everything` is complete. */
  get overflowed(): boolean {
    return this.#total > this.#limit;
  }

  /** Returns all bytes so far, unless `overflowed`. */
  everything(): Buffer {
    return Buffer.concat([...this.#head, ...this.#tail]);
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = Math.ceil(this.#limit / 2) - this.#headBytes;
    const first = chunk.subarray(0, Math.max(0, room));
    if (first.length > 0) {
      this.#head.push(first);
      this.#headBytes += first.length;
    }
    const rest = chunk.subarray(first.length);
    if (rest.length > 0) this.#pushTail(rest);
  }

  /**
   * Returns the head and the tail. `cutAt` is the offset in `output` of the omitted bytes, absent when none
   * are omitted.
   */
  result(): { output: Buffer; omittedBytes: number; cutAt?: number } {
    const all = this.everything();
    if (!this.overflowed) return { output: all, omittedBytes: 0 };
    const head = untilLastLine(all.subarray(0, this.#headBytes));
    const tailRoom = Math.floor(this.#limit / 2);
    const tail = fromFirstLine(all.subarray(all.length - tailRoom));
    return {
      output: Buffer.concat([head, tail]),
      omittedBytes: this.#total - head.length - tail.length,
      cutAt: head.length,
    };
  }

  #pushTail(chunk: Buffer): void {
    const room = Math.floor(this.#limit / 2);
    // A copy, so that a small kept slice does not hold a large chunk in memory.
    this.#tail.push(Buffer.from(chunk.subarray(Math.max(0, chunk.length - room))));
    this.#tailBytes += Math.min(chunk.length, room);
    let oldest = this.#tail[0];
    while (oldest && this.#tailBytes - oldest.length >= room) {
      this.#tail.shift();
      this.#tailBytes -= oldest.length;
      oldest = this.#tail[0];
    }
    if (this.#tail.length > 512) this.#tail = [Buffer.concat(this.#tail)];
  }
}

function untilLastLine(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(NEWLINE);
  return end < 0 ? wholeCharacters(bytes) : bytes.subarray(0, end + 1);
}

function fromFirstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(NEWLINE);
  if (end >= 0 && end + 1 < bytes.length) return bytes.subarray(end + 1);
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Drops an incomplete UTF-8 character at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && isContinuation(bytes[start])) start--;
  const first = bytes[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, Math.max(0, start)) : bytes;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
