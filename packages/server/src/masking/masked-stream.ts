/** The part of a text that can be masked now, and the rest, in which a secret may have begun. */
type Mask = (text: string, isWhole: boolean) => { text: string; rest: string };

/** Longer beginnings of a secret are let through: they would delay the text without end. */
const MAX_HELD = 256 * 1024;

/** Masks a text that arrives in pieces. Holds back only what a secret may have begun in. */
export class MaskedStream {
  readonly #mask: Mask;
  #held = "";

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  /** Returns what can be shown now. */
  write(piece: string): string {
    const pending = this.#held + piece;
    const { text, rest } = this.#mask(pending, pending.length > MAX_HELD);
    this.#held = rest;
    return text;
  }

  /** Returns what was held back. */
  end(): string {
    const { text } = this.#mask(this.#held, true);
    this.#held = "";
    return text;
  }
}
