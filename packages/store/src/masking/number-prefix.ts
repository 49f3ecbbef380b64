import type { TakeCharacter } from "./escaped-characters.ts";
import { isBlank } from "./folding.ts";

/** Maximum length of a recognized path or number. */
const MAX_LENGTH = 512;
const [COLON, DASH, SLASH] = [0x3a, 0x2d, 0x2f];
const AFTER_NUMBER = new Set([..."\t:-|→│"].map((sign) => sign.charCodeAt(0)));

/**
 * Result for what was read of a line so far: a prefix is `there` or there is `none`, or with `begun` the rest
 * of the line decides.
 */
export type Prefix = "begun" | "there" | "none";

/**
 * Recognizes a number, a path or both at the beginning of a line: `12<tab>`, `12:`, `a/b.ts:12:` and
 * `a/b.ts-12-` as in search results, and `/a/b.ts:`. A path has blanks only after a slash.
 */
export class NumberPrefix {
  readonly #characters = new Uint16Array(MAX_LENGTH);
  readonly #starts = new Float64Array(MAX_LENGTH);
  readonly #ends = new Float64Array(MAX_LENGTH);
  #length = 0;
  #digits = 0;
  /** The character before the digits; 0 at the beginning of the line. */
  #before = 0;
  #hasSlash = false;
  /** The number of read characters that form a path with its colon. */
  #path = 0;

  add(character: number, start: number, end: number): Prefix {
    const isDigit = character >= 0x30 && character <= 0x39;
    this.#characters[this.#length] = character;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
    if (this.#digits > 0 && this.#endsNumber(character)) {
      this.#path = this.#length;
      return "there";
    }
    if (this.#path > 0 && !isDigit) return "there";
    if (this.#length === MAX_LENGTH) return this.end();
    if (isDigit) this.#digits += 1;
    else if (!this.#goesOn(character)) return "none";
    return "begun";
  }

  /** Ends the line. */
  end(): Prefix {
    return this.#path > 0 ? "there" : "none";
  }

  isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Returns the position where the read text begins, or infinity when nothing was read. */
  openFrom(): number {
    return this.isEmpty() ? Number.POSITIVE_INFINITY : (this.#starts[0] ?? 0);
  }

  /**
   * Forgets what was read.
   * @param take Receives the part that is no prefix.
   */
  clear(take: TakeCharacter): void {
    const [from, to] = [this.#path, this.#length];
    this.#length = 0;
    this.#digits = 0;
    this.#before = 0;
    this.#hasSlash = false;
    this.#path = 0;
    for (let index = from; index < to; index++)
      take(this.#characters[index] ?? 0, this.#starts[index] ?? 0, this.#ends[index] ?? 0);
  }

  #endsNumber(character: number): boolean {
    if (this.#before === 0) return AFTER_NUMBER.has(character) || isBlank(character);
    return character === this.#before && (character === COLON || character === DASH);
  }

  /** Returns whether a path or number may still follow. */
  #goesOn(character: number): boolean {
    this.#digits = 0;
    if (character === SLASH) this.#hasSlash = true;
    if (character === COLON && this.#hasSlash) this.#path = this.#length;
    if (!isBlank(character)) this.#before = character;
    else if (this.#before !== 0) return this.#hasSlash;
    return true;
  }
}
