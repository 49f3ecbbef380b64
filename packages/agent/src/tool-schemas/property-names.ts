import { isObject, resolveReference, type Schema } from "./json-schema.ts";

/** The names of properties that every provider accepts. */
const ACCEPTED = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_LENGTH = 64;

/** A model's name of a property, and the server's name of it. */
export type OriginalNames = Readonly<Record<string, string>>;

/**
 * Gives each property of a schema that has a name which providers reject another one: unique in the whole schema, and the same for
 * each property of that name. Deterministic.
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

/** A model's input with the server's names of properties. Data that the schema leaves open keeps its names. */
export function originalInput(
  input: Record<string, unknown>,
  schema: Schema,
  originals: OriginalNames,
): Record<string, unknown> {
  if (Object.keys(originals).length === 0) return input;
  return original(input, [schema], schema, originals) as Record<string, unknown>;
}

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collectNames(one, names);
  if (!isObject(value)) return;
  for (const [key, one] of Object.entries(value)) {
    if (key !== "properties" || !isObject(one)) collectNames(one, names);
    else {
      for (const [name, inner] of Object.entries(one)) {
        names.add(name);
        collectNames(inner, names);
      }
    }
  }
}

/** Adds it to `names`. `counts`: how many of each form there are, so that many similar names cost no more than others. */
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
  const rename = (name: unknown) => (typeof name === "string" ? (renamed.get(name) ?? name) : name);
  const entries = Object.entries(value).map(([key, one]) => {
    if (key === "required" && Array.isArray(one)) return [key, one.map(rename)];
    if (key !== "properties" || !isObject(one)) return [key, withNames(one, renamed)];
    const properties = Object.entries(one).map(([name, inner]) => [rename(name), withNames(inner, renamed)]);
    return [key, Object.fromEntries(properties)];
  });
  return Object.fromEntries(entries) as Schema;
}

function original(
  value: unknown,
  schemas: readonly unknown[],
  root: Schema,
  originals: OriginalNames,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  const applying = withParts(schemas, root);
  if (Array.isArray(value)) {
    return value.map((one, index) =>
      original(
        one,
        applying.flatMap((schema) => itemSchemas(schema, index)),
        root,
        originals,
      ),
    );
  }
  const entries = Object.entries(value).map(([key, one]) => {
    const declaring = applying.filter(
      ({ properties }) => isObject(properties) && Object.hasOwn(properties, key),
    );
    const inner = declaring.map(({ properties }) => (properties as Schema)[key]);
    const others = declaring.length > 0 ? inner : applying.map((schema) => schema.additionalProperties);
    const name = declaring.length > 0 && Object.hasOwn(originals, key) ? originals[key] : key;
    return [name, original(one, others, root, originals)];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** The schemas, what they refer to, and all that they combine. */
function withParts(schemas: readonly unknown[], root: Schema): Schema[] {
  const found = new Set<Schema>();
  const queue = [...schemas];
  for (const schema of queue) {
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    queue.push(resolveReference(root, schema.$ref));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const parts = schema[keyword];
      if (Array.isArray(parts)) queue.push(...parts);
    }
  }
  return [...found];
}

function itemSchemas({ prefixItems, items }: Schema, index: number): unknown[] {
  return Array.isArray(prefixItems) && index < prefixItems.length ? [prefixItems[index]] : [items];
}
