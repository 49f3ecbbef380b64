/** The fold of a character that is skipped, since it counts as part of no secret. */
export const SKIPPED = 0xffff;

/**
 * Characters to skip. U+FFFD is one, because it replaces the NUL bytes of UTF-16 in texts that cannot contain
 * NUL.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u3164\ufffd]|[\u034f\ufe00-\ufe0f]/u;

/**
 * The folds of all UTF-16 code units for comparison: letters in lower case, and the two alphabets of base64
 * as one. Blanks, line ends, control characters and invisible characters become `SKIPPED`, so that a secret
 * is found however it is wrapped.
 */
export const FOLDED = foldedUnits();

/** Returns whether a unit is a blank within a line, which separates the words of a text. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0xa0;
}

/** Returns the folded units of a text, without the skipped ones. */
export function foldedText(text: string): Uint16Array {
  const units = Uint16Array.from(
    { length: text.length },
    (_, index) => FOLDED[text.charCodeAt(index)] ?? SKIPPED,
  );
  return units.filter((unit) => unit !== SKIPPED);
}

function foldedUnits(): Uint16Array {
  const folded = new Uint16Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    const character = String.fromCharCode(unit);
    const lower = character.toLowerCase();
    folded[unit] = INVISIBLE.test(character) ? SKIPPED : lower.length === 1 ? lower.charCodeAt(0) : unit;
  }
  folded["-".charCodeAt(0)] = "+".charCodeAt(0);
  folded["_".charCodeAt(0)] = "/".charCodeAt(0);
  return folded;
}
