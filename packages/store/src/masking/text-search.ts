import type { FormTrie } from "./form-trie.ts";
import type { FoundRanges } from "./found-ranges.ts";
import { LAYOUTS, type Layout, Reading } from "./reading.ts";
import { SecretScan } from "./secret-scan.ts";

/** Bits of the layouts that each character may wake. */
const WAKES = new Uint8Array(0x100);
for (const [index, { signs }] of LAYOUTS.entries())
  for (const sign of signs) WAKES[sign.charCodeAt(0)] = (WAKES[sign.charCodeAt(0)] ?? 0) | (1 << index);

/** Interval, in characters, at which readings give up what is too far back: a power of two. */
const FORGET_EACH = 1024;

/**
 * Searches a text that arrives in pieces, in several readings. They are the text as written, without a
 * terminal's escape sequences, without soft line breaks, with escaped characters decoded, and without
 * prefixes of lines by tools. Each reading finds what another one misreads. It continues from its last state,
 * so a piece takes time in proportion to its length, whatever came before.
 */
export class TextSearch {
  readonly #trie: FormTrie;
  readonly #found: FoundRanges;
  readonly #written: SecretScan;
  readonly #readings: (Reading | undefined)[] = LAYOUTS.map(() => undefined);
  /** The readings that are awake, in the order of the layouts. */
  #awake: readonly Reading[] = [];
  #place: number;

  /** @param place Position of the text's first character, from which positions are counted. */
  constructor(trie: FormTrie, found: FoundRanges, place: number) {
    this.#trie = trie;
    this.#found = found;
    this.#written = new SecretScan(trie, found);
    this.#place = place;
  }

  write(piece: string): void {
    for (let index = 0; index < piece.length; index++, this.#place++) {
      const character = piece.charCodeAt(index);
      const wakes = character < 0x100 ? (WAKES[character] ?? 0) : 0;
      if (wakes !== 0) this.#wake(wakes);
      if (this.#awake.length > 0) this.#readAgain(character);
      this.#written.add(character, this.#place, this.#place + 1);
      if (this.#awake.length > 0) this.#rest();
    }
  }

  /**
   * Returns the position from which the text may be part of a secret, depending on what follows, or infinity
   * when none has begun.
   */
  openFrom(): number {
    const open = this.#awake.map((reading) => reading.openFrom(this.#place));
    return Math.min(this.#written.openFrom(this.#place), ...open);
  }

  /** Ends the text. Another one may follow. */
  end(): void {
    for (const reading of this.#awake) reading.end();
    this.#awake = [];
    this.#written.reset();
  }

  #wake(wakes: number): void {
    let hasOneCome = false;
    for (let left = wakes; left !== 0; left &= left - 1) {
      const reading = this.#readingOf(31 - Math.clz32(left & -left));
      if (reading.isAwake) continue;
      reading.wake();
      hasOneCome ||= reading.isAwake;
    }
    if (hasOneCome) this.#awake = this.#readings.filter(isAwake);
  }

  #readAgain(character: number): void {
    const isTime = (this.#place & (FORGET_EACH - 1)) === 0;
    for (const reading of this.#awake) {
      if (isTime) reading.forget(this.#place);
      reading.add(character, this.#place);
    }
  }

  #rest(): void {
    let hasOneGone = false;
    for (const reading of this.#awake) {
      reading.rest();
      hasOneGone ||= !reading.isAwake;
    }
    if (hasOneGone) this.#awake = this.#awake.filter(({ isAwake }) => isAwake);
  }

  #readingOf(index: number): Reading {
    const known = this.#readings[index];
    if (known !== undefined) return known;
    const layout = LAYOUTS[index] as Layout;
    const base = layout.base === null ? null : this.#readingOf(layout.base);
    const scan = new SecretScan(this.#trie, this.#found);
    const reading = new Reading(layout, base, this.#written, scan);
    this.#readings[index] = reading;
    return reading;
  }
}

function isAwake(reading: Reading | undefined): reading is Reading {
  return reading?.isAwake === true;
}
