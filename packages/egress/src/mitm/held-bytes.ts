/**
 * The last bytes of a stream of pieces that are still needed. Takes time in proportion to the bytes added.
 */
export class HeldBytes {
  #pieces: Buffer[] = [];
  /** Number of pieces that have been taken. */
  #gone = 0;
  #from = 0;

  /** Position of the first held byte in the whole stream. */
  get from(): number {
    return this.#from;
  }

  add(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Removes and returns the bytes before a position. */
  take(to: number): Buffer[] {
    const taken: Buffer[] = [];
    while (this.#from < to) {
      const piece = this.#pieces[this.#gone];
      if (piece === undefined) break;
      const part = piece.subarray(0, to - this.#from);
      taken.push(part);
      this.#from += part.length;
      if (part.length === piece.length) this.#gone += 1;
      else this.#pieces[this.#gone] = piece.subarray(part.length);
    }
    if (this.#gone > this.#pieces.length / 2) {
      this.#pieces = this.#pieces.slice(this.#gone);
      this.#gone = 0;
    }
    return taken;
  }
}
