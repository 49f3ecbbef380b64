/** A piece of a source. */
export interface Piece {
  bytes: Buffer;
  /** Whether it is the remainder, which may be shorter than the others or empty. */
  last: boolean;
}

/**
 * Cuts a source into pieces of one size. When the source fails, the bytes before the failure become the last
 * piece, and `throwFailure` throws the failure.
 */
export class Split {
  readonly #size: number;
  #failure: { error: unknown } | null = null;

  constructor(size: number) {
    this.#size = size;
  }

  /** @param first Bytes to put before those of the source. */
  async *of(source: AsyncIterable<Uint8Array>, first: Uint8Array): AsyncGenerator<Piece> {
    let held: Uint8Array[] = [first];
    let bytes = first.length;
    try {
      for await (const chunk of source) {
        held.push(chunk);
        bytes += chunk.length;
        if (bytes < this.#size) continue;
        const whole = Buffer.concat(held);
        let at = 0;
        for (; bytes - at >= this.#size; at += this.#size)
          yield { bytes: whole.subarray(at, at + this.#size), last: false };
        held = [whole.subarray(at)];
        bytes -= at;
      }
    } catch (error) {
      this.#failure = { error };
    }
    yield { bytes: Buffer.concat(held), last: true };
  }

  /** Throws what the source threw, if it failed. */
  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
