/** The fold of a character that is not part of any secret, wherever it stands. */
export const SKIPPED = 0xffff;

/** U+FFFD stands for the NUL of UTF-16 in texts that cannot have one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\u115f\u1160\u3164\ufffd]|[\u034f\ufe00-\ufe0f]/u;

/**
 * What masking makes of each UTF-16 code unit before it compares: letters in lower case, the two alphabets of base64 as one,
 * and `SKIPPED` for blanks, line ends, control characters and invisible ones, so that a secret is found however it is folded.
 */
export const FOLDED = foldedUnits();

/** Blanks within a line, by which words of a text are separated. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0xa0;
}

/** The folded units of a text, without the skipped ones. */
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
