import type { TakeCharacter } from "./escaped-characters.ts";
import { isBlank } from "./folding.ts";
import { NumberPrefix, type Prefix } from "./number-prefix.ts";

const LINE_END = 0x0a;
const CHANGES = new Set([..."+-"].map((sign) => sign.charCodeAt(0)));
const QUOTES = new Set([...">|"].map((sign) => sign.charCodeAt(0)));

/**
 * The part at the beginning of a line that is skipped: the mark of a diff or a quotation, a path or number,
 * or both, of which each line may lack either.
 */
export type PrefixKind = "mark" | "number" | "number and mark";

/** Skips what tools put before each line of a text: diffs, quotations, numbered lines and search results. */
export class LinePrefixes {
  readonly #kind: PrefixKind;
  readonly #take: TakeCharacter;
  readonly #number = new NumberPrefix();
  #state: "number" | "mark" | "quote" | "line" = "line";

  constructor(kind: PrefixKind, take: TakeCharacter) {
    this.#kind = kind;
    this.#take = take;
  }

  readonly add = (character: number, start: number, end: number): void => {
    if (character === LINE_END) {
      this.end();
      this.#take(character, start, end);
      this.#state = this.#kind === "mark" ? "mark" : "number";
    } else if (this.#state === "number") this.#begin(this.#number.add(character, start, end));
    else this.#afterNumber(character, start, end);
  };

  /** Ends the text. */
  end(): void {
    if (this.#state === "number") this.#begin(this.#number.end());
    this.#state = "line";
  }

  /** Returns whether the position is after the prefix, where nothing is skipped. */
  isInLine(): boolean {
    return this.#state === "line";
  }

  /** Returns whether a prefix may have begun. */
  hasBegun(): boolean {
    return !this.#number.isEmpty();
  }

  /** Returns the position where it begins, or infinity when none has. */
  openFrom(): number {
    return this.#number.openFrom();
  }

  #begin(prefix: Prefix): void {
    if (prefix === "begun") return;
    this.#state = this.#kind === "number" ? "line" : "mark";
    this.#number.clear(this.#afterNumber);
  }

  readonly #afterNumber = (character: number, start: number, end: number): void => {
    if (this.#state === "line" || !this.#isMark(character)) this.#take(character, start, end);
  };

  /**
   * Returns whether the character is a mark. A diff has one sign; a quotation any number, with blanks in
   * between.
   */
  #isMark(character: number): boolean {
    if (isBlank(character)) return false;
    const isChange = this.#state === "mark" && CHANGES.has(character);
    this.#state = QUOTES.has(character) ? "quote" : "line";
    return isChange || this.#state === "quote";
  }
}
