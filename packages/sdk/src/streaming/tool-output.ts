import type { ToolOutput } from "@berth/contract";

/** Output of a call, as far as it was received. */
export interface OutputText {
  /** Text, with a line `…` for each part that was left out. */
  text: string;
  /** Offset in the output at which the text ends. The text contains all earlier parts of a piece already. */
  end: number;
}

const LEFT_OUT = "…\n";

/**
 * Adds a piece, as `stream` yields them, to the output of a call. A repeated piece adds nothing.
 *
 * @param before undefined for the first piece.
 * @param maxCharacters limit, beyond which the beginning of the text is left out. Default: 8,192.
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

/** Returns the newest part of a text, from the beginning of a line if there is one. */
function newest(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const rest = text.slice(text.length - maxCharacters).toWellFormed();
  return `${LEFT_OUT}${rest.slice(rest.indexOf("\n") + 1)}`;
}
