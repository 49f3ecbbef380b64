import { isDeepStrictEqual } from "node:util";

/** A field that differs. The value is undefined on a side that does not have the field. */
export interface FieldChange {
  field: string;
  before?: unknown;
  after?: unknown;
}

/** Fields that every change sets. */
const NOTED_BY_SERVICE = ["updated_at", "version"];
/** Fields whose values are, or often are, secret. */
const HIDDEN = ["environment_variables", "auth.token", "auth.secret_value"];
export const HIDDEN_VALUE = "(hidden)";

type Fields = Record<string, unknown>;

/** Returns the fields in which two states of an object differ, down to texts and numbers. */
export function fieldChanges(before: Fields, after: Fields): FieldChange[] {
  return changesAt("", without(before), without(after));
}

function without(object: Fields): Fields {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !NOTED_BY_SERVICE.includes(name)));
}

function changesAt(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const arrays = bothOf(Array.isArray, [], before, after);
  if (arrays !== null) return changesInArray(field, ...arrays);
  const objects = bothOf(isObject, {}, before, after);
  if (objects !== null) {
    const [old, now] = objects;
    const names = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...names].flatMap((name) =>
      changesAt(field === "" ? name : `${field}.${name}`, old[name], now[name]),
    );
  }
  const shown = (value: unknown) =>
    HIDDEN.some((hidden) => field.startsWith(hidden)) ? HIDDEN_VALUE : value;
  return [
    {
      field,
      ...(before === undefined ? {} : { before: shown(before) }),
      ...(after === undefined ? {} : { after: shown(after) }),
    },
  ];
}

/** Compares the items between the common start and the common end. */
function changesInArray(field: string, before: readonly unknown[], after: readonly unknown[]): FieldChange[] {
  const { start, ends } = differingPart(before, after);
  const [old, now] = [before.slice(start, ends[0]), after.slice(start, ends[1])];
  const at = (index: number) => `${field}[${start + index}]`;
  if (old.length === now.length) return old.flatMap((item, index) => changesAt(at(index), item, now[index]));
  return [
    ...old.flatMap((item, index) => changesAt(at(index), item, undefined)),
    ...now.flatMap((item, index) => changesAt(at(index), undefined, item)),
  ];
}

/** Returns the part of two lists without the items that they share at both ends. */
export function differingPart(
  before: readonly unknown[],
  after: readonly unknown[],
): { start: number; ends: [number, number] } {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && isDeepStrictEqual(before[start], after[start])) start++;
  let same = 0;
  while (same < shortest - start && isDeepStrictEqual(before.at(-1 - same), after.at(-1 - same))) same++;
  return { start, ends: [before.length - same, after.length - same] };
}

/**
 * Returns both sides if both are of the type, else null. One side may be missing unless the other is empty,
 * since then the empty value itself is the change.
 */
function bothOf<T extends object>(
  is: (value: unknown) => value is T,
  empty: T,
  before: unknown,
  after: unknown,
): [T, T] | null {
  const [old, now] = [before ?? empty, after ?? empty];
  if (before === null || after === null || !is(old) || !is(now)) return null;
  const isMissing = before === undefined || after === undefined;
  return isMissing && Object.keys(old).length + Object.keys(now).length === 0 ? null : [old, now];
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
