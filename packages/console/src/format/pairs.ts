/** A name and a value in a form, with a key for React. */
export type Pair = { key: string; name: string; value: string };

let lastKey = 0;

/** Returns a key for React that this browser tab has not used before. */
export function newKey(): string {
  return `${Date.now().toString(36)}.${++lastKey}`;
}

export function pairsOf(record: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(record).map(([name, value]) => ({ key: newKey(), name, value }));
}

/**
 * Returns the pairs as a record, without empty pairs. A pair with a value but no name is kept, so that the
 * service reports it.
 */
export function recordOf(pairs: readonly Pair[]): Record<string, string> {
  const given = pairs.filter(({ name, value }) => name.trim() !== "" || value !== "");
  return Object.fromEntries(given.map(({ name, value }) => [name.trim(), value]));
}

/** Returns the metadata patch that turns one record into another; null removes a pair. */
export function patchOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const set = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...set]);
}

/** Returns the first pair whose name occurred before; undefined if there is none. */
export function repeated(pairs: readonly Pair[]): Pair | undefined {
  const names = pairs.map(({ name }) => name.trim());
  return pairs.find((pair, index) => pair.name.trim() !== "" && names.indexOf(pair.name.trim()) < index);
}

/** Returns the fields of `after` that differ from those of `before`. */
export function changedFields<Fields extends object>(before: Fields, after: Fields): Partial<Fields> {
  const names = Object.keys(after) as (keyof Fields)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Fields>;
}
