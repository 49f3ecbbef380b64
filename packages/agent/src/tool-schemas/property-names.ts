import { isObject, referenceKey, type Schema } from "./json-schema.ts";

/** Property names that every provider accepts. */
const ACCEPTED = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_LENGTH = 64;

/** The original name of each property, by the name that the model sees. */
export type OriginalNames = Readonly<Record<string, string>>;

/** Keywords whose value has keys that the schema's author chose. */
const MAPS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependentRequired",
]);
/** The keywords of `MAPS` whose keys are property names. */
const MAPS_BY_PROPERTY = new Set(["properties", "dependentSchemas", "dependentRequired"]);
/** Keywords whose value is data, not a schema. */
const DATA = new Set(["enum", "const", "default", "examples"]);

/**
 * Renames each property whose name providers reject. The new name is unique in the whole schema, and the same
 * for each property of that name. The result is deterministic.
 */
export function renameProperties(schema: Schema): { schema: Schema; originals: OriginalNames } {
  const names = new Set<string>();
  collectNames(schema, names);
  const renamed = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const name of [...names]) {
    if (!ACCEPTED.test(name)) renamed.set(name, unusedName(name, names, counts));
  }
  if (renamed.size === 0) return { schema, originals: {} };
  const originals = Object.fromEntries([...renamed].map(([name, chosen]) => [chosen, name]));
  return { schema: withNames(schema, renamed) as Schema, originals };
}

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collectNames(one, names);
  if (!isObject(value)) return;
  for (const [key, one] of Object.entries(value)) {
    if (DATA.has(key)) continue;
    if (!MAPS.has(key) || !isObject(one)) collectNames(one, names);
    else {
      for (const [name, inner] of Object.entries(one)) {
        if (key === "properties") names.add(name);
        collectNames(inner, names);
      }
    }
  }
}

/**
 * Returns an unused name and adds it to `names`. `counts` has the number of names of each form, so that many
 * similar names cost no more than others.
 */
function unusedName(name: string, names: Set<string>, counts: Map<string, number>): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/g, "_").slice(0, MAX_LENGTH) || "_";
  for (;;) {
    const number = (counts.get(plain) ?? 0) + 1;
    counts.set(plain, number);
    const suffix = number === 1 ? "" : `_${number}`;
    const candidate = `${plain.slice(0, MAX_LENGTH - suffix.length)}${suffix}`;
    if (names.has(candidate)) continue;
    names.add(candidate);
    return candidate;
  }
}

function withNames(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withNames(one, renamed));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, keywordWithNames(key, one, renamed)]);
  return Object.fromEntries(entries) as Schema;
}

function keywordWithNames(key: string, value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  const rename = (name: unknown) => (typeof name === "string" ? (renamed.get(name) ?? name) : name);
  if (DATA.has(key)) return value;
  if (key === "$ref" && typeof value === "string") return renamedReference(value, renamed);
  if (key === "required" && Array.isArray(value)) return value.map(rename);
  if (!MAPS.has(key) || !isObject(value)) return withNames(value, renamed);
  const entries = Object.entries(value).map(([name, inner]) => [
    MAPS_BY_PROPERTY.has(key) ? rename(name) : name,
    key === "dependentRequired" && Array.isArray(inner) ? inner.map(rename) : withNames(inner, renamed),
  ]);
  return Object.fromEntries(entries) as Schema;
}

/** Renames the properties on the path of a local reference. */
function renamedReference(reference: string, renamed: ReadonlyMap<string, string>): string {
  let map: string | null = null;
  const parts = reference.split("/").map((part) => {
    const isProperty = map !== null && MAPS_BY_PROPERTY.has(map);
    map = map === null && MAPS.has(part) ? part : null;
    return isProperty ? (renamed.get(referenceKey(part)) ?? part) : part;
  });
  return parts.join("/");
}
