import type { ToolOutput } from "@berth/contract";

/** What a call has printed so far, as far as it was seen. */
export interface OutputText {
  /** With a line `…` for what was left out. */
  text: string;
  /** Where in the output the text ends: what a piece has before that is in the text already. */
  end: number;
}

const LEFT_OUT = "…\n";

/**
 * The output of a call with one more piece of it, as `stream` yields them. Pieces that come again add nothing.
 *
 * @param before Undefined: this is the first piece.
 * @param maxCharacters Of a longer text, the beginning is left out. Default: 8,192.
 */
export function addOutput(
  before: OutputText | undefined,
  { offset, text }: Pick<ToolOutput, "offset" | "text">,
  maxCharacters = 8_192,
): OutputText {
  const known = before ?? { text: "", end: 0 };
  const fresh = text.slice(Math.max(0, known.end - offset));
  if (fresh === "") return known;
  const isLineOpen = known.text !== "" && !known.text.endsWith("\n");
  const gap = offset > known.end ? `${isLineOpen ? "\n" : ""}${LEFT_OUT}` : "";
  return { text: newest(known.text + gap + fresh, maxCharacters), end: offset + text.length };
}

/** From the beginning of a line on, if there is one. */
function newest(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const rest = text.slice(text.length - maxCharacters).toWellFormed();
  return `${LEFT_OUT}${rest.slice(rest.indexOf("\n") + 1)}`;
}
