/** Maximum members and items in one response; as many take about a tenth of a second to parse. */
const MAX_PARTS = 1_000_000;
/** The parts that a message, or a line of an event stream, counts as, since each has a fixed cost. */
const MESSAGE_PARTS = 50;
const MAX_DEPTH = 128;

const LF = 10;
const CR = 13;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/**
 * Counts the parts and the depth of JSON while its bytes pass, for a single document or the lines of an event
 * stream. JSON strings contain no line break, so each line starts outside a string.
 */
export class JsonSizeLimit {
  readonly #lineParts: number;
  #parts = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** @param isStream whether this is an event stream, whose lines are messages. */
  constructor(isStream: boolean) {
    this.#lineParts = isStream ? MESSAGE_PARTS : 0;
  }

  /** Counts the next bytes; returns whether the limits are exceeded. */
  exceededBy(chunk: Uint8Array): boolean {
    for (const byte of chunk) {
      this.#add(byte);
      if (this.#parts > MAX_PARTS || this.#depth > MAX_DEPTH) return true;
    }
    return false;
  }

  #add(byte: number): void {
    if (byte === LF || byte === CR) {
      this.#parts += this.#lineParts;
      this.#inString = false;
      this.#escaped = false;
    } else if (!this.#inString) this.#addOutsideString(byte);
    else if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #addOutsideString(byte: number): void {
    if (byte === QUOTE) this.#inString = true;
    else if (byte === COMMA || byte === COLON) this.#parts += 1;
    else if (OPENING.has(byte)) {
      // The value is a message, or an item in a batch of messages.
      this.#parts += this.#depth <= 1 ? MESSAGE_PARTS : 1;
      this.#depth += 1;
    } else if (CLOSING.has(byte)) this.#depth = Math.max(0, this.#depth - 1);
  }
}
