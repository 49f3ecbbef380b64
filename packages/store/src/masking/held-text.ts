/** The end of a text that arrives in pieces, as much of it as is still needed. Takes time in proportion to what is added. */
export class HeldText {
  #pieces: string[] = [];
  /** How many of the pieces are gone. */
  #gone = 0;
  #from: number;

  /** @param from the place of the first character in the text. */
  constructor(from: number) {
    this.#from = from;
  }

  /** The place of the first character that is held. */
  get from(): number {
    return this.#from;
  }

  add(piece: string): void {
    if (piece !== "") this.#pieces.push(piece);
  }

  pieces(): readonly string[] {
    return this.#pieces.slice(this.#gone);
  }

  /** Removes and returns what is before a place; infinite for all. */
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
