import type { TakeCharacter } from "./escaped-characters.ts";

const [EQUALS, RETURN, LINE_END] = [0x3d, 0x0d, 0x0a];

/** Skips the soft line breaks of mails: `=` at the end of a line. */
export class SoftBreaks {
  readonly #take: TakeCharacter;
  /**
   * Position of the sign that may begin a soft line break, negative when there is none, and whether a
   * carriage return followed.
   */
  #sign = -1;
  #hasReturn = false;

  constructor(take: TakeCharacter) {
    this.#take = take;
  }

  add(character: number, at: number): void {
    if (this.#sign >= 0 && character === LINE_END) this.#sign = -1;
    else if (this.#sign >= 0 && character === RETURN && !this.#hasReturn) this.#hasReturn = true;
    else {
      this.end();
      this.#hasReturn = false;
      if (character === EQUALS) this.#sign = at;
      else this.#take(character, at, at + 1);
    }
  }

  /** Ends the text. */
  end(): void {
    if (this.#sign >= 0) this.#take(EQUALS, this.#sign, this.#sign + 1);
    this.#sign = -1;
  }

  /** Returns whether a soft line break may have begun. */
  hasBegun(): boolean {
    return this.#sign >= 0;
  }

  /** Returns the position where it begins, or infinity when none has. */
  openFrom(): number {
    return this.hasBegun() ? this.#sign : Number.POSITIVE_INFINITY;
  }
}
