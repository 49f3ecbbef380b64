const ESCAPE = 0x1b;
const BELL = 0x07;
const CONTROL_SEQUENCE = 0x9b;

/** States, by what the next character means: text, or a part of an escape sequence. */
const [TEXT, AFTER_ESCAPE, CONTROL, STRING, ONE] = [0, 1, 2, 3, 4] as const;

/** Separates the characters of a text from the escape sequences that give a terminal colours and the like. */
export class TerminalEscapes {
  #state: number = TEXT;

  /** Returns whether the character belongs to a sequence. */
  takes(character: number): boolean {
    const before = this.#state;
    this.#state = after(before, character);
    return before !== TEXT || this.#state !== TEXT;
  }

  /** Returns whether a sequence has begun and not ended. */
  isOpen(): boolean {
    return this.#state !== TEXT;
  }

  copyFrom(other: TerminalEscapes | null): void {
    this.#state = other === null ? TEXT : other.#state;
  }
}

/**
 * Returns the state after a character. An escape character begins a new sequence even within one, and so also
 * ends a string.
 */
function after(state: number, character: number): number {
  if (character === ESCAPE) return AFTER_ESCAPE;
  if (state === TEXT) return character === CONTROL_SEQUENCE ? CONTROL : TEXT;
  if (state === STRING) return character === BELL ? TEXT : STRING;
  if (state === CONTROL) return character >= 0x20 && character < 0x40 ? CONTROL : TEXT;
  return state === AFTER_ESCAPE ? afterEscape(String.fromCharCode(character)) : TEXT;
}

function afterEscape(character: string): number {
  if (character === "[") return CONTROL;
  if ("]PX^_".includes(character)) return STRING;
  return "()*+-./#% ".includes(character) ? ONE : TEXT;
}
