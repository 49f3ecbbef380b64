import { diffLines, diffWordsWithSpace } from "diff";

export type DiffLine = {
  kind: "same" | "added" | "removed";
  /** The line's numbers in the old and in the new text, from 1; null where it is not in that text. */
  old: number | null;
  new: number | null;
  text: string;
  /** The ranges of characters that differ from the line's counterpart; null when it has none. */
  marks: readonly (readonly [number, number])[] | null;
};

export type DiffHunk = { header: string; lines: readonly DiffLine[] };

/** Characters above which lines are not compared word by word. */
const MAX_MARKED = 2_000;
/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/**
 * Returns the changes from one text to another as hunks, with `context` unchanged lines around each change.
 */
export function hunksBetween(before: string, after: string, context = CONTEXT): DiffHunk[] {
  const lines: DiffLine[] = [];
  let [old, fresh] = [1, 1];
  for (const part of diffLines(before, after, { timeout: 1_000 }) ?? wholly(before, after)) {
    const kind = part.added ? "added" : part.removed ? "removed" : "same";
    for (const text of linesOf(part.value)) {
      lines.push({
        kind,
        old: kind === "added" ? null : old,
        new: kind === "removed" ? null : fresh,
        text,
        marks: null,
      });
      if (kind !== "added") old += 1;
      if (kind !== "removed") fresh += 1;
    }
  }
  return grouped(lines, context).map((group) => ({ header: headerOf(group), lines: withMarks(group) }));
}

/** Parses a unified diff of one file, as git writes it. */
export function parseUnified(diff: string): DiffHunk[] {
  const hunks: { header: string; lines: DiffLine[] }[] = [];
  let [old, fresh] = [0, 0];
  for (const line of linesOf(diff)) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (head !== null) {
      [old, fresh] = [Number(head[1]), Number(head[2])];
      hunks.push({ header: line, lines: [] });
      continue;
    }
    const kind = ({ " ": "same", "+": "added", "-": "removed" } as const)[line[0] ?? ""];
    if (kind === undefined || hunks.length === 0) continue;
    hunks.at(-1)?.lines.push({
      kind,
      old: kind === "added" ? null : old++,
      new: kind === "removed" ? null : fresh++,
      text: line.slice(1),
      marks: null,
    });
  }
  return hunks.map(({ header, lines }) => ({ header, lines: withMarks(lines) }));
}

/** Pairs each line of the old text with its counterpart in the new one; null where there is none. */
export function sideBySide(lines: readonly DiffLine[]): (readonly [DiffLine | null, DiffLine | null])[] {
  const rows: (readonly [DiffLine | null, DiffLine | null])[] = [];
  for (const [removed, added, same] of runsOf(lines)) {
    const height = Math.max(removed.length, added.length);
    for (let index = 0; index < height; index++) rows.push([removed[index] ?? null, added[index] ?? null]);
    for (const line of same) rows.push([line, line]);
  }
  return rows;
}

/** Returns the first `count` lines of the hunks, and how many lines are left out. */
export function firstLines(
  hunks: readonly DiffHunk[],
  count: number,
): { shown: readonly DiffHunk[]; left: number } {
  const total = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  if (total <= count) return { shown: hunks, left: 0 };
  const shown: DiffHunk[] = [];
  let room = count;
  for (const { header, lines } of hunks) {
    if (room <= 0) break;
    shown.push({ header, lines: lines.slice(0, room) });
    room -= lines.length;
  }
  return { shown, left: total - count };
}

export function countChanges(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

/** Replaces the whole text, for when a comparison takes too long. */
function wholly(before: string, after: string) {
  return [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function grouped(lines: readonly DiffLine[], context: number): DiffLine[][] {
  const groups: DiffLine[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  const changed = lines.flatMap((line, index) => (line.kind === "same" ? [] : [index]));
  for (const [place, index] of changed.entries()) {
    if (index - last > 2 * context + 1) groups.push(lines.slice(Math.max(0, index - context), index));
    else groups.at(-1)?.push(...lines.slice(last + 1, index));
    const line = lines[index];
    if (line !== undefined) groups.at(-1)?.push(line);
    last = index;
    const next = changed[place + 1];
    if (next === undefined || next - index > 2 * context + 1)
      groups.at(-1)?.push(...lines.slice(index + 1, index + 1 + context));
  }
  return groups;
}

function headerOf(lines: readonly DiffLine[]): string {
  const range = (side: "old" | "new") => {
    const numbers = lines.flatMap((line) => line[side] ?? []);
    return `${numbers[0] ?? 0},${numbers.length}`;
  };
  return `@@ -${range("old")} +${range("new")} @@`;
}

/** Groups lines into runs: removed lines, the added ones that follow, and the unchanged ones after those. */
function runsOf(lines: readonly DiffLine[]): [DiffLine[], DiffLine[], DiffLine[]][] {
  const runs: [DiffLine[], DiffLine[], DiffLine[]][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    const fits = last && last[2].length === 0 && !(line.kind === "removed" && last[1].length > 0);
    if (last === undefined || (line.kind !== "same" && !fits)) runs.push([[], [], []]);
    runs.at(-1)?.[line.kind === "removed" ? 0 : line.kind === "added" ? 1 : 2].push(line);
  }
  return runs;
}

/**
 * Marks changed words where as many lines were removed as added, which is taken for a change of each line.
 */
function withMarks(lines: readonly DiffLine[]): DiffLine[] {
  return runsOf(lines).flatMap(([removed, added, same]) => {
    if (removed.length !== added.length) return [...removed, ...added, ...same];
    const pairs = removed.map((line, index) => markedPair(line, added[index] ?? line));
    return [...pairs.map(([one]) => one), ...pairs.map(([, other]) => other), ...same];
  });
}

function markedPair(one: DiffLine, other: DiffLine): [DiffLine, DiffLine] {
  if (one.text.length + other.text.length > MAX_MARKED) return [one, other];
  const parts = diffWordsWithSpace(one.text, other.text);
  const shared = parts.reduce(
    (sum, part) => (part.added || part.removed ? sum : sum + part.value.trim().length),
    0,
  );
  // Lines with little in common are treated as different lines.
  if (shared * 3 < Math.min(one.text.trim().length, other.text.trim().length)) return [one, other];
  return [
    { ...one, marks: rangesOf(parts, "removed") },
    { ...other, marks: rangesOf(parts, "added") },
  ];
}

function rangesOf(
  parts: readonly { value: string; added: boolean; removed: boolean }[],
  kind: "added" | "removed",
): [number, number][] {
  const ranges: [number, number][] = [];
  let at = 0;
  for (const part of parts) {
    if (part[kind === "added" ? "removed" : "added"]) continue;
    if (part[kind]) ranges.push([at, at + part.value.length]);
    at += part.value.length;
  }
  return ranges;
}
