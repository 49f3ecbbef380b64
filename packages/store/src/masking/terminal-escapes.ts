const ESCAPE = 0x1b;
const BELL = 0x07;
const CONTROL_SEQUENCE = 0x9b;

/** What the next character means: a character, or a part of a sequence. */
const [TEXT, AFTER_ESCAPE, CONTROL, STRING, ONE] = [0, 1, 2, 3, 4] as const;

/** Tells the characters of a text from those of the escape sequences by which a terminal is told colours and the like. */
export class TerminalEscapes {
  #state: number = TEXT;

  /** Whether the character belongs to a sequence. */
  takes(character: number): boolean {
    const before = this.#state;
    this.#state = after(before, character);
    return before !== TEXT || this.#state !== TEXT;
  }

  /** A sequence has begun and not ended. */
  isOpen(): boolean {
    return this.#state !== TEXT;
  }

  copyFrom(other: TerminalEscapes | null): void {
    this.#state = other === null ? TEXT : other.#state;
  }
}

/** An escape character begins a sequence anew, also within one: so ends a string, too. */
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
