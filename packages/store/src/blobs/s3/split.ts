/** What was cut out of a source. */
export interface Piece {
  bytes: Buffer;
  /** Whether it is the rest, which may be shorter than the others, or empty. */
  last: boolean;
}

/** Cuts a source into pieces of one size. When the source fails, what came before is a piece, and the failure is kept. */
export class Split {
  readonly #size: number;
  #failure: { error: unknown } | null = null;

  constructor(size: number) {
    this.#size = size;
  }

  /** @param first bytes that stand before those of the source. */
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

  /** Throws what the source threw. */
  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
