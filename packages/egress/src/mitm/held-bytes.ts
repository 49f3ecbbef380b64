/** The end of bytes that arrive in pieces, as much of it as is still needed. Takes time in proportion to what is added. */
export class HeldBytes {
  #pieces: Buffer[] = [];
  /** How many of the pieces are gone. */
  #gone = 0;
  #from = 0;

  /** The place of the first byte that is held, counted from the first of all. */
  get from(): number {
    return this.#from;
  }

  add(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Removes and returns what is before a place. */
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
