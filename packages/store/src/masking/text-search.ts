import type { FormTrie } from "./form-trie.ts";
import type { FoundRanges } from "./found-ranges.ts";
import { LAYOUTS, type Layout, Reading } from "./reading.ts";
import { SecretScan } from "./secret-scan.ts";

/** For each character, a bit for each of the layouts that it may wake. */
const WAKES = new Uint8Array(0x100);
for (const [index, { signs }] of LAYOUTS.entries())
  for (const sign of signs) WAKES[sign.charCodeAt(0)] = (WAKES[sign.charCodeAt(0)] ?? 0) | (1 << index);

/** Readings give up what is too far back as often as this, in characters: a power of two. */
const FORGET_EACH = 1024;

/**
 * Searches a text that arrives in pieces as it is written, without a terminal's escape sequences, without soft line breaks, with
 * escaped characters decoded, and without what tools put before lines: each reading finds what another one misreads. It goes on
 * from where it was, so a piece takes time in proportion to its length, whatever came before.
 */
export class TextSearch {
  readonly #trie: FormTrie;
  readonly #found: FoundRanges;
  readonly #written: SecretScan;
  readonly #readings: (Reading | undefined)[] = LAYOUTS.map(() => undefined);
  /** In the order of the layouts. */
  #awake: readonly Reading[] = [];
  #place: number;

  /** @param place of the text's first character, from which places are counted. */
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

  /** From here on the text may be part of a secret, depending on how it goes on; infinite when none has begun. */
  openFrom(): number {
    const open = this.#awake.map((reading) => reading.openFrom(this.#place));
    return Math.min(this.#written.openFrom(this.#place), ...open);
  }

  /** The text has ended. Another one may follow. */
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
