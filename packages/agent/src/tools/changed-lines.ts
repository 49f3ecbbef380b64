/** Lines shown around those that changed. */
const CONTEXT = 2;
const START = "(As in your Read of these lines above, except for its line";

/**
 * What a result of Read says in place of `now` to a model that has `before`, another result of the same lines: the lines that changed, from
 * the first to the last of them, with two around them. Both are in the compact form of `numberedLines`; lines that only have another
 * number are the same. Null where the whole is hardly longer, or without a remark that `before` has.
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

/** Whether a result is one of `changedLines`. */
export function isChangedLines(text: string): boolean {
  return text.startsWith(START);
}

/** How many lines are the same at the beginning of both, and how many of the others at the end. */
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

/** None for a remark. */
function numberOf(line: string): [number] | [] {
  const [, digits] = NUMBER.exec(line) ?? [];
  return digits === undefined ? [] : [Number(digits)];
}
