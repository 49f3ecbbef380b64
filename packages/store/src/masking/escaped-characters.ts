/** Receives a character that lies between `start` and `end` of a text. */
export type TakeCharacter = (character: number, start: number, end: number) => void;

/**
 * Kinds of escapes: `%41` as in URLs, or `\x41`, `\u0041`, `\101`, `
 * ` and `\A` as in JSON and shells.
 */
export type Escaping = "percent" | "backslash";

const SIGNS: Readonly<Record<Escaping, number>> = { percent: 0x25, backslash: 0x5c };
const NAMED: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, r: 13, t: 9, a: 7, b: 8, f: 12, v: 11, e: 27, E: 27 }).map(([name, character]) => [
    name.charCodeAt(0),
    character,
  ]),
);

/**
 * Decodes a text whose characters come one at a time. Text that turns out to be no escape is passed on
 * unchanged.
 */
export class EscapedCharacters {
  readonly #escaping: Escaping;
  readonly #take: TakeCharacter;
  /** Position of the sign of the escape that is being read; negative when there is none. */
  #start = -1;
  /** The characters read after the sign. */
  #read: readonly number[] = [];
  #value = 0;
  /** Number of missing digits, and their base. */
  #missing = 0;
  #base = 16;

  constructor(escaping: Escaping, take: TakeCharacter) {
    this.#escaping = escaping;
    this.#take = take;
  }

  add(character: number, at: number): void {
    if (this.#start >= 0) this.#goOn(character, at);
    else if (character === SIGNS[this.#escaping]) this.#start = at;
    else this.#take(character, at, at + 1);
  }

  /** Ends the text. */
  end(): void {
    if (this.#start >= 0) this.#giveUp();
  }

  /** Returns whether an escape has begun whose meaning is not known yet. */
  hasBegun(): boolean {
    return this.#start >= 0;
  }

  /** Returns the position where it begins, or infinity when none has. */
  openFrom(): number {
    return this.hasBegun() ? this.#start : Number.POSITIVE_INFINITY;
  }

  copyFrom(other: EscapedCharacters | null): void {
    this.#reset();
    if (other === null) return;
    this.#start = other.#start;
    this.#read = other.#read;
    this.#value = other.#value;
    this.#missing = other.#missing;
    this.#base = other.#base;
  }

  #reset(): void {
    this.#start = -1;
    this.#read = [];
    this.#value = 0;
  }

  #goOn(character: number, at: number): void {
    if (this.#read.length === 0 && this.#escaping === "backslash") this.#begin(character, at);
    else if (this.#read.length === 0) this.#digit(character, at, 16, 2);
    else this.#digit(character, at, this.#base, this.#missing);
  }

  #begin(character: number, at: number): void {
    if (character === 0x78 || character === 0x75) {
      this.#read = [character];
      this.#base = 16;
      this.#missing = character === 0x78 ? 2 : 4;
    } else if (character >= 0x30 && character <= 0x33) this.#digit(character, at, 8, 3);
    else this.#finish(NAMED.get(character) ?? character, at + 1);
  }

  #digit(character: number, at: number, base: number, missing: number): void {
    const digit = digitOf(character);
    if (digit >= base) {
      this.#giveUp();
      this.add(character, at);
      return;
    }
    this.#read = [...this.#read, character];
    this.#value = this.#value * base + digit;
    this.#base = base;
    this.#missing = missing - 1;
    if (this.#missing === 0) this.#finish(this.#value, at + 1);
  }

  #finish(character: number, end: number): void {
    const start = this.#start;
    this.#reset();
    this.#take(character, start, end);
  }

  /**
   * Passes on a text that is no escape. A backslash is dropped and the next character stands for itself; a
   * percent sign stands for itself.
   */
  #giveUp(): void {
    const [start, read] = [this.#start, this.#read];
    this.#reset();
    const isPair = this.#escaping === "backslash" && read.length > 0;
    this.#take(isPair ? (read[0] ?? 0) : SIGNS[this.#escaping], start, start + (isPair ? 2 : 1));
    for (const [index, character] of read.entries())
      if (!isPair || index > 0) this.#take(character, start + 1 + index, start + 2 + index);
  }
}

/** Returns the value of a digit, or 36 for a character that is no digit. */
function digitOf(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  const letter = character | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : 36;
}
