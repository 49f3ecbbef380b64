/** A name and a value as a form has them, with a key of their own. */
export type Pair = { key: string; name: string; value: string };

let lastKey = 0;

export function newKey(): string {
  return `${Date.now().toString(36)}.${++lastKey}`;
}

export function pairsOf(record: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(record).map(([name, value]) => ({ key: newKey(), name, value }));
}

/** The record of the pairs that have a name or a value; one without a name keeps its fault to be told. */
export function recordOf(pairs: readonly Pair[]): Record<string, string> {
  const given = pairs.filter(({ name, value }) => name.trim() !== "" || value !== "");
  return Object.fromEntries(given.map(({ name, value }) => [name.trim(), value]));
}

/** The change that makes one record another, as the API takes it for metadata: null removes a pair. */
export function patchOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const set = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...set]);
}

/** The pair whose name another one has already, if there is one. */
export function repeated(pairs: readonly Pair[]): Pair | undefined {
  const names = pairs.map(({ name }) => name.trim());
  return pairs.find((pair, index) => pair.name.trim() !== "" && names.indexOf(pair.name.trim()) < index);
}

/** The fields of `after` that differ from those of `before`. */
export function changedFields<Fields extends object>(before: Fields, after: Fields): Partial<Fields> {
  const names = Object.keys(after) as (keyof Fields)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Fields>;
}
