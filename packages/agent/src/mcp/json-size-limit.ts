/** Members, items and lines of one answer: as many as half a megabyte of schemas has, and a second's work when all are wrong. */
const MAX_PARTS = 20_000;
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
 * Counts what JSON is made of as its bytes pass, alone or in the lines of an event stream: a string has no line break, so
 * that each line begins outside of strings. Answers whether there is too much of it, or too deep, so far.
 */
export function jsonMeter(): (chunk: Uint8Array) => boolean {
  let parts = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;

  function outside(byte: number): void {
    if (byte === QUOTE) inString = true;
    else if (byte === COMMA || byte === COLON) parts += 1;
    else if (OPENING.has(byte)) {
      parts += 1;
      depth += 1;
    } else if (CLOSING.has(byte)) depth = Math.max(0, depth - 1);
  }

  return (chunk) => {
    for (const byte of chunk) {
      if (byte === LF || byte === CR) {
        parts += 1;
        inString = escaped = false;
      } else if (!inString) outside(byte);
      else if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inString = false;
      if (parts > MAX_PARTS || depth > MAX_DEPTH) return true;
    }
    return false;
  };
}
