/**
 * The end of a text that arrives in pieces, as far as it is still needed. Operations take time in proportion
 * to what is added.
 */
export class HeldText {
  #pieces: string[] = [];
  /** Number of pieces that were taken. */
  #gone = 0;
  #from: number;

  /** @param from Position of the first character in the text. */
  constructor(from: number) {
    this.#from = from;
  }

  /** Position of the first held character. */
  get from(): number {
    return this.#from;
  }

  add(piece: string): void {
    if (piece !== "") this.#pieces.push(piece);
  }

  pieces(): readonly string[] {
    return this.#pieces.slice(this.#gone);
  }

  /** Removes and returns the text before a position; infinity takes all. */
  take(to: number): string {
    let taken = "";
    while (this.#from < to) {
      const piece = this.#pieces[this.#gone];
      if (piece === undefined) break;
      const part = piece.slice(0, to - this.#from);
      taken += part;
      this.#from += part.length;
      if (part.length === piece.length) this.#gone += 1;
      else this.#pieces[this.#gone] = piece.slice(part.length);
    }
    if (this.#gone > this.#pieces.length / 2) {
      this.#pieces = this.#pieces.slice(this.#gone);
      this.#gone = 0;
    }
    return taken;
  }
}
