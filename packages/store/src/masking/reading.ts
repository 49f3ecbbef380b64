import { EscapedCharacters, type Escaping } from "./escaped-characters.ts";
import { LinePrefixes, type PrefixKind } from "./line-prefixes.ts";
import type { SecretScan } from "./secret-scan.ts";
import { SoftBreaks } from "./soft-breaks.ts";
import { TerminalEscapes } from "./terminal-escapes.ts";

/** One way to read a text, other than as it is written. */
export interface Layout {
  /** Characters from which on it may differ from the reading that it is based on. */
  signs: string;
  /** Which of the layouts that is; null for the text as it is written. */
  base: number | null;
  escaping?: Escaping;
  /** Without the escape sequences of a terminal. */
  hasTerminal?: true;
  /** Without soft line breaks. */
  isJoined?: true;
  /** Without what tools put before each line. */
  prefix?: PrefixKind;
}

const TERMINAL = 0;
const BACKSLASH = 3;

/** In this order: a reading comes after the one that it is based on. */
export const LAYOUTS: readonly Layout[] = [
  { signs: "\u001b\u009b", base: null, hasTerminal: true },
  { signs: "=", base: null, isJoined: true },
  { signs: "%", base: TERMINAL, hasTerminal: true, escaping: "percent" },
  { signs: "\\", base: TERMINAL, hasTerminal: true, escaping: "backslash" },
  { signs: "\n", base: TERMINAL, hasTerminal: true, prefix: "mark" },
  { signs: "\n", base: TERMINAL, hasTerminal: true, prefix: "number" },
  { signs: "\n", base: TERMINAL, hasTerminal: true, prefix: "number and mark" },
  { signs: "\\\n", base: BACKSLASH, hasTerminal: true, escaping: "backslash", prefix: "mark" },
];

/**
 * Reads a text in one way, from a place where that begins to differ until it does not any more. In between it sleeps: what it
 * would find, the reading that it is based on finds.
 */
export class Reading {
  readonly #base: Reading | null;
  readonly #written: SecretScan;
  readonly #scan: SecretScan;
  readonly #terminal: TerminalEscapes | null;
  readonly #escapes: EscapedCharacters | null;
  readonly #breaks: SoftBreaks | null;
  readonly #prefixes: LinePrefixes | null;
  #isAwake = false;
  /** Characters that must be read before it may sleep: as many as it took to wake it. */
  #owed = 0;

  /**
   * @param base null when it is based on the text as it is written.
   * @param written the scan of the text as it is written.
   * @param scan the reading's own.
   */
  constructor(layout: Layout, base: Reading | null, written: SecretScan, scan: SecretScan) {
    const { hasTerminal, escaping, isJoined, prefix } = layout;
    this.#base = base;
    this.#written = written;
    this.#scan = scan;
    this.#prefixes = prefix === undefined ? null : new LinePrefixes(prefix, scan.add);
    this.#terminal = hasTerminal ? new TerminalEscapes() : null;
    this.#escapes = escaping === undefined ? null : new EscapedCharacters(escaping, this.#show);
    this.#breaks = isJoined ? new SoftBreaks(scan.add) : null;
  }

  get isAwake(): boolean {
    return this.#isAwake;
  }

  /**
   * Begins to read from where the reading is that it is based on. Where no secret has begun, only what hides its first character
   * makes a difference.
   */
  wake(): void {
    const base = this.#source();
    const scan = base === null ? this.#written : base.#scan;
    const hidesFirst = this.#escapes !== null && this.#prefixes === null;
    if (!hidesFirst && scan.isIdle()) return;
    const isHidden = base?.isInSequence() === true && this.#escapes === null;
    if (isHidden) return;
    this.#isAwake = true;
    this.#owed = this.#scan.copyFrom(scan);
    this.#terminal?.copyFrom(base === null ? null : base.#terminal);
    this.#escapes?.copyFrom(base === null ? null : base.#escapes);
  }

  add(character: number, at: number): void {
    this.#owed -= 1;
    if (this.#escapes !== null) this.#escapes.add(character, at);
    else if (this.#breaks !== null) this.#breaks.add(character, at);
    else this.#show(character, at, at + 1);
  }

  /** Sleeps if it makes no difference from here on. Those that it is based on must have read as far. */
  rest(): void {
    const mayRest = this.#scan.isIdle() || (this.#owed <= 0 && this.#isPlain() && this.#equalsSource());
    if (mayRest && !this.#hasBegun()) this.#sleep();
  }

  /** Gives up what began too far before a place. */
  forget(place: number): void {
    this.#scan.forget(place);
  }

  /** The text has ended. */
  end(): void {
    this.#escapes?.end();
    this.#breaks?.end();
    this.#prefixes?.end();
    this.#sleep();
  }

  /** Where a secret may have begun that goes on at `place`. */
  openFrom(place: number): number {
    const begun = [this.#escapes, this.#breaks, this.#prefixes].map((part) => part?.openFrom() ?? place);
    return Math.min(this.#scan.openFrom(place), ...begun);
  }

  /** The reading that it is based on: where that sleeps, what that is based on; null for the text as it is written. */
  #source(): Reading | null {
    let base = this.#base;
    while (base !== null && !base.#isAwake) base = base.#base;
    return base;
  }

  #equalsSource(): boolean {
    const source = this.#source();
    return this.#scan.equals(source === null ? this.#written : source.#scan);
  }

  /** Within an escape sequence of a terminal. */
  isInSequence(): boolean {
    return this.#terminal?.isOpen() === true;
  }

  /** Neither in an escape sequence nor at the beginning of a line. */
  #isPlain(): boolean {
    return !this.isInSequence() && this.#prefixes?.isInLine() !== false;
  }

  /** Something has begun of which it is not known yet how it reads. */
  #hasBegun(): boolean {
    return (
      this.#escapes?.hasBegun() === true ||
      this.#breaks?.hasBegun() === true ||
      this.#prefixes?.hasBegun() === true
    );
  }

  #sleep(): void {
    this.#isAwake = false;
    this.#prefixes?.end();
  }

  /** Takes a character once it is decoded. */
  readonly #show = (character: number, start: number, end: number): void => {
    if (this.#terminal?.takes(character)) return;
    if (this.#prefixes === null) this.#scan.add(character, start, end);
    else this.#prefixes.add(character, start, end);
  };
}
