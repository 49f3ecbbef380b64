/** A line, or a further part of a line that is too long; such a part has no number. */
export type LinePart = { number: number | null; text: string };

/** Splits a text into lines, and lines of more than `max` characters into parts. */
export function splitLines(text: string, max = 2_000): LinePart[] {
  return text.split("\n").flatMap((line, index) => {
    const parts: LinePart[] = [];
    for (let from = 0; from === 0 || from < line.length; from += max)
      parts.push({ number: from === 0 ? index + 1 : null, text: line.slice(from, from + max) });
    return parts;
  });
}

/**
 * Returns the beginning of a text, in at most `maxLines` lines and `maxLength` characters, and what is left
 * out.
 */
export function headOf(
  text: string,
  maxLines: number,
  maxLength: number,
): { head: string; cutLines: number; cut: boolean } {
  let at = 0;
  for (let lines = 0; lines < maxLines; lines++) {
    const next = text.indexOf("\n", at);
    if (next === -1) {
      at = text.length;
      break;
    }
    at = next + 1;
  }
  const head = text.slice(0, Math.min(at, maxLength));
  const rest = text.slice(head.length);
  return { head: head.replace(/\n$/, ""), cutLines: countLines(rest), cut: rest.trim() !== "" };
}

/**
 * Returns the end of a text, in at most `maxLines` lines and `maxLength` characters, without the final line
 * end.
 */
export function tailOf(text: string, maxLines: number, maxLength: number): string {
  const tail = text.replace(/\n$/, "").slice(-maxLength).toWellFormed();
  return tail.split("\n").slice(-maxLines).join("\n");
}

function countLines(text: string): number {
  if (text === "") return 0;
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
