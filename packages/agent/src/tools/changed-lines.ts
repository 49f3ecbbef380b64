/** The number of unchanged lines shown around the changed ones. */
const CONTEXT = 2;
const START = "(As in your Read of these lines above, except for its line";

/**
 * Returns a text that replaces `now`, a Read result, for a model that has `before`, an earlier one of the
 * same lines. It has the lines from the first to the last change, with two lines around them. Both are
 * results of `numberedLines`; lines whose number alone differs count as equal. Returns null when that
 * saves less than half, or when `before` has a remark that `now` lacks.
 */
export function changedLines(before: string, now: string): string | null {
  const [was, is] = [before.split("\n"), now.split("\n")];
  if (remarksOf(is) < remarksOf(was)) return null;
  const { head, tail } = commonEnds(was.map(bare), is.map(bare));
  const from = Math.max(0, head - CONTEXT);
  const rest = Math.max(0, tail - CONTEXT);
  const replaced = was.slice(from, was.length - rest).flatMap(numberOf);
  const [first, last] = [replaced[0], replaced.at(-1)];
  if (first === undefined || last === undefined) return null;
  const names = first === last ? ` ${first}, which is` : `s ${first} to ${last}, which are`;
  const [next] = numberOf(was[was.length - rest] ?? "");
  const [nextNow] = numberOf(is[is.length - rest] ?? "");
  const shift = next === nextNow ? [] : [`(Its line ${next} is line ${nextNow} now, and so on.)`];
  const text = [`${START}${names} now:)`, ...is.slice(from, is.length - rest), ...shift].join("\n");
  return text.length <= now.length / 2 ? text : null;
}

/** Returns whether a text is a result of `changedLines`. */
export function isChangedLines(text: string): boolean {
  return text.startsWith(START);
}

/** Returns the number of equal lines at the beginning of both, and of further equal lines at the end. */
function commonEnds(one: readonly string[], other: readonly string[]): { head: number; tail: number } {
  const shorter = Math.min(one.length, other.length);
  let head = 0;
  while (head < shorter && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < shorter - head && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return { head, tail };
}

const NUMBER = /^(\d+)\t/;

function bare(line: string): string {
  return line.replace(NUMBER, "");
}

function remarksOf(lines: readonly string[]): number {
  return lines.filter((line) => !NUMBER.test(line)).length;
}

/** Returns the number of a line; empty for a remark. */
function numberOf(line: string): [number] | [] {
  const [, digits] = NUMBER.exec(line) ?? [];
  return digits === undefined ? [] : [Number(digits)];
}
