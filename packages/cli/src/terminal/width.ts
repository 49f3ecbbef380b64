/** Matches graphemes two columns wide, by their first character, or emoji by their selector. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]|\ufe0f/u;
const HALF_WIDTH = /^[\uff61-\uffdc]/;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const PRINTABLE_ASCII = /^[ -~]*$/;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns the columns that a text without escape sequences takes on a terminal. */
export function widthOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOfOne(segment);
  return width;
}

/** Returns the start of a text that fits in this many columns. */
export function startOf(text: string, columns: number): string {
  if (PRINTABLE_ASCII.test(text)) return text.slice(0, Math.max(0, columns));
  let width = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    width += widthOfOne(segment);
    if (width > columns) return text.slice(0, index);
  }
  return text;
}

function widthOfOne(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) && !HALF_WIDTH.test(grapheme) ? 2 : 1;
}
