import { EscapedCharacters, type Escaping } from "./escaped-characters.ts";
import { LinePrefixes, type PrefixKind } from "./line-prefixes.ts";
import type { SecretScan } from "./secret-scan.ts";
import { SoftBreaks } from "./soft-breaks.ts";
import { TerminalEscapes } from "./terminal-escapes.ts";

/** A way to read a text other than as written. */
export interface Layout {
  /** Characters at which the reading may begin to differ from its base. */
  signs: string;
  /** Index of the layout that it is based on; null for the text as written. */
  base: number | null;
  escaping?: Escaping;
  /** Whether the escape sequences of a terminal are skipped. */
  hasTerminal?: true;
  /** Whether soft line breaks are skipped. */
  isJoined?: true;
  /** The prefix of lines, as added by tools, that is skipped. */
  prefix?: PrefixKind;
}

const TERMINAL = 0;
const BACKSLASH = 3;

/** All layouts, each after the one that it is based on. */
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
 * Reads a text in one way, from the position where this begins to differ from its base until the two agree
 * again. In between it sleeps, since the base finds everything that it would find.
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
  /** Number of characters to read before it may sleep: as many as waking cost. */
  #owed = 0;

  /**
   * @param base The reading that it is based on; null for the text as written.
   * @param written Scan of the text as written.
   * @param scan The reading's own scan.
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
   * Wakes and continues from the state of its base. While no secret has begun, only a layout that hides a
   * secret's first character makes a difference.
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

  /** Sleeps if it makes no difference from here on. Its bases must have read as far. */
  rest(): void {
    const mayRest = this.#scan.isIdle() || (this.#owed <= 0 && this.#isPlain() && this.#equalsSource());
    if (mayRest && !this.#hasBegun()) this.#sleep();
  }

  /** Gives up forms that began too far before a position. */
  forget(place: number): void {
    this.#scan.forget(place);
  }

  /** Ends the text. */
  end(): void {
    this.#escapes?.end();
    this.#breaks?.end();
    this.#prefixes?.end();
    this.#sleep();
  }

  /** Returns the position from which a secret may have begun that continues at `place`. */
  openFrom(place: number): number {
    const begun = [this.#escapes, this.#breaks, this.#prefixes].map((part) => part?.openFrom() ?? place);
    return Math.min(this.#scan.openFrom(place), ...begun);
  }

  /** Returns the nearest base that is awake, or null for the text as written. */
  #source(): Reading | null {
    let base = this.#base;
    while (base !== null && !base.#isAwake) base = base.#base;
    return base;
  }

  #equalsSource(): boolean {
    const source = this.#source();
    return this.#scan.equals(source === null ? this.#written : source.#scan);
  }

  /** Returns whether the position is in an escape sequence of a terminal. */
  isInSequence(): boolean {
    return this.#terminal?.isOpen() === true;
  }

  /** Returns whether the position is neither in an escape sequence nor at the beginning of a line. */
  #isPlain(): boolean {
    return !this.isInSequence() && this.#prefixes?.isInLine() !== false;
  }

  /** Returns whether something has begun whose meaning is not known yet. */
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

  /** Passes on a decoded character. */
  readonly #show = (character: number, start: number, end: number): void => {
    if (this.#terminal?.takes(character)) return;
    if (this.#prefixes === null) this.#scan.add(character, start, end);
    else this.#prefixes.add(character, start, end);
  };
}
