/** A run of code in one style. The name is the end of a class `syntax-…`; null for plain text. */
export type Token = { text: string; name: string | null };

export type LinePiece = { text: string; name: string | null; marked: boolean };

/**
 * Cuts a line into pieces of one style each, at its tokens and at its marked ranges. Tokens of another line
 * are ignored.
 */
export function cutLine(
  text: string,
  tokens: readonly Token[],
  marks: readonly (readonly [number, number])[],
): LinePiece[] {
  const looks = named(text, tokens);
  const cuts = [...looks.map(({ from }) => from), ...marks.flat(), text.length]
    .filter((at) => at <= text.length)
    .sort((one, other) => one - other);
  const pieces: LinePiece[] = [];
  let look = 0;
  let from = 0;
  for (const to of cuts) {
    if (to === from) continue;
    while ((looks[look + 1]?.from ?? Number.POSITIVE_INFINITY) <= from) look += 1;
    const at = from;
    const marked = marks.some(([start, end]) => start <= at && at < end);
    pieces.push({ text: text.slice(from, to), name: looks[look]?.name ?? null, marked });
    from = to;
  }
  return pieces;
}

/** Returns where each style begins; none if the tokens do not match the line. */
function named(text: string, tokens: readonly Token[]): { from: number; name: string | null }[] {
  const looks: { from: number; name: string | null }[] = [];
  let at = 0;
  for (const { text: part, name } of tokens) {
    if (!text.startsWith(part, at) && !part.startsWith(text.slice(at))) return [];
    looks.push({ from: at, name });
    at += part.length;
    if (at >= text.length) return looks;
  }
  return at === text.length ? looks : [];
}
