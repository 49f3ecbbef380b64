import type { TakeCharacter } from "./escaped-characters.ts";
import { isBlank } from "./folding.ts";
import { NumberPrefix, type Prefix } from "./number-prefix.ts";

const LINE_END = 0x0a;
const CHANGES = new Set([..."+-"].map((sign) => sign.charCodeAt(0)));
const QUOTES = new Set([...">|"].map((sign) => sign.charCodeAt(0)));

/** What is left out at the beginning of a line: the mark of a diff or of a quotation, a path or number, or both. */
export type PrefixKind = "mark" | "number" | "number and mark";

/** Leaves out what tools put before each line of a text: diffs, quotations, numbered lines and the results of searches. */
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

  /** The text has ended. */
  end(): void {
    if (this.#state === "number") this.#begin(this.#number.end());
    this.#state = "line";
  }

  /** Within a line, where nothing is left out. */
  isInLine(): boolean {
    return this.#state === "line";
  }

  /** Whether a prefix may have begun. */
  hasBegun(): boolean {
    return !this.#number.isEmpty();
  }

  /** Where that begins; infinite when there is none. */
  openFrom(): number {
    return this.#number.openFrom();
  }

  #begin(prefix: Prefix): void {
    if (prefix === "begun") return;
    this.#state = prefix === "there" && this.#kind !== "number" ? "mark" : "line";
    this.#number.clear(this.#afterNumber);
  }

  readonly #afterNumber = (character: number, start: number, end: number): void => {
    if (this.#state === "line" || !this.#isMark(character)) this.#take(character, start, end);
  };

  /** Of a diff one sign counts, of a quotation any number, with blanks between them. */
  #isMark(character: number): boolean {
    if (isBlank(character)) return false;
    const isChange = this.#state === "mark" && CHANGES.has(character);
    this.#state = QUOTES.has(character) ? "quote" : "line";
    return isChange || this.#state === "quote";
  }
}
