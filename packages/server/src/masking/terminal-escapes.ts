const ESCAPE = 0x1b;
const BELL = 0x07;
const CONTROL_SEQUENCE = 0x9b;

/** What the next character of an escape sequence means. */
type State = "text" | "escape" | "control" | "string" | "stringEscape" | "one";

/** Tells the characters of a text from those of the escape sequences by which a terminal is told colours and the like. */
export class TerminalEscapes {
  #state: State = "text";

  /** Whether the character belongs to a sequence. */
  takes(character: number): boolean {
    const before = this.#state;
    this.#state = after(before, character);
    return before !== "text" || this.#state !== "text";
  }

  /** A sequence has begun and not ended. */
  isOpen(): boolean {
    return this.#state !== "text";
  }
}

function after(state: State, character: number): State {
  if (character === ESCAPE) return state === "string" ? "stringEscape" : "escape";
  switch (state) {
    case "text":
      return character === CONTROL_SEQUENCE ? "control" : "text";
    case "escape":
      return afterEscape(String.fromCharCode(character));
    case "control":
      return character >= 0x20 && character < 0x40 ? "control" : "text";
    case "string":
      return character === BELL ? "text" : "string";
    default:
      return "text";
  }
}

function afterEscape(character: string): State {
  if (character === "[") return "control";
  if ("]PX^_".includes(character)) return "string";
  return "()*+-./#% ".includes(character) ? "one" : "text";
}
