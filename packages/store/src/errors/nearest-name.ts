/**
 * Returns the name that `given` is probably a misspelling of: the one with the fewest changed letters, at
 * most a third of them or two. Returns null when there is none.
 */
export function nearestName(given: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: distance(given, name) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, given.length / 3) ? best.name : null;
}

/** Returns the number of letters to add, remove or replace between two texts (Levenshtein distance). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
