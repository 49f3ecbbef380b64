import { errors } from "@berth/store/errors";

const MAX_DEPTH = 64;
/** Maximum members and items, which bounds the cost of parsing. Valid requests have far fewer. */
const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set(Buffer.from("[{"));
const CLOSING: ReadonlySet<number> = new Set(Buffer.from("]}"));
const BLANK: ReadonlySet<number> = new Set(Buffer.from(" \t\r\n"));

/**
 * Counts the values and levels of a JSON document before parsing, in one pass without allocations. Leaves
 * invalid JSON to the parser.
 *
 * @param maxValues members and items. Default: 20,000.
 * @throws errors.invalid for a document that has too many.
 */
export function checkJsonShape(bytes: Uint8Array, maxValues = MAX_VALUES): void {
  let depth = 0;
  let values = 0;
  let isOpened = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (BLANK.has(byte)) continue;
    if (byte === COMMA || (isOpened && !CLOSING.has(byte))) values += 1;
    isOpened = OPENING.has(byte);
    if (isOpened) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    else if (byte === QUOTE) at = endOfString(bytes, at);
    if (depth > MAX_DEPTH) throw errors.invalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    if (values > maxValues) throw errors.invalid(`The body has more than ${maxValues} values.`);
  }
}

/** Returns the index of the quote that ends the string starting at `from`. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
