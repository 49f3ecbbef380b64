import { isObject, resolveReference, type Schema } from "./json-schema.ts";
import type { OriginalNames } from "./property-names.ts";

/**
 * Returns a model's input with the original property names, or the same object when the schema renames none.
 * Data that the schema leaves open keeps its names. The work is linear in the input and, for each level of
 * it, in the size of the schema.
 */
export function originalInput(
  input: Record<string, unknown>,
  schema: Schema,
  originals: OriginalNames,
): Record<string, unknown> {
  if (Object.keys(originals).length === 0) return input;
  return original(input, new Place([schema], schema), originals) as Record<string, unknown>;
}

function original(value: object, place: Place, originals: OriginalNames): unknown {
  const within = (one: unknown, inner: () => Place) =>
    typeof one === "object" && one !== null ? original(one, inner(), originals) : one;
  if (Array.isArray(value)) return value.map((one, index) => within(one, () => place.item(index)));
  const entries = Object.entries(value).map(([key, one]) => {
    const name = place.declares(key) && Object.hasOwn(originals, key) ? originals[key] : key;
    return [name, within(one, () => place.property(key))];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** A position in a tool's inputs, with all schemas that may apply there. An array's values share one. */
class Place {
  readonly #schemas: readonly Schema[];
  readonly #root: Schema;
  /** Inner positions by the name of a property, or by the index of an item. */
  readonly #inner = new Map<string | number, Place>();
  readonly #declared = new Map<string, unknown[]>();
  readonly #prefixLength: number;

  constructor(schemas: readonly unknown[], root: Schema) {
    this.#schemas = withParts(schemas, root);
    this.#root = root;
    for (const { properties } of this.#schemas) {
      for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
        const known = this.#declared.get(name);
        if (known === undefined) this.#declared.set(name, [schema]);
        else known.push(schema);
      }
    }
    this.#prefixLength = this.#schemas.reduce(
      (longest, { prefixItems }) => Math.max(longest, Array.isArray(prefixItems) ? prefixItems.length : 0),
      0,
    );
  }

  declares(name: string): boolean {
    return this.#declared.has(name);
  }

  property(name: string): Place {
    const declared = this.#declared.get(name);
    const byPattern = () => this.#schemas.flatMap(({ patternProperties }) => valuesOf(patternProperties));
    if (declared !== undefined) return this.#place(name, () => [...declared, ...byPattern()]);
    return this.#place(-1, () => [
      ...this.#schemas.flatMap((schema) => [schema.additionalProperties, schema.unevaluatedProperties]),
      ...byPattern(),
    ]);
  }

  item(index: number): Place {
    const shared = Math.min(index, this.#prefixLength);
    return this.#place(shared, () => this.#schemas.flatMap((schema) => itemSchemas(schema, shared)));
  }

  #place(key: string | number, schemas: () => readonly unknown[]): Place {
    const known = this.#inner.get(key);
    if (known !== undefined) return known;
    const place = new Place(schemas(), this.#root);
    this.#inner.set(key, place);
    return place;
  }
}

/** Returns the schemas, those that they refer to, and those that they combine. */
function withParts(schemas: readonly unknown[], root: Schema): Schema[] {
  const found = new Set<Schema>();
  const queue = [...schemas];
  for (const schema of queue) {
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    queue.push(resolveReference(root, schema.$ref), schema.if, schema.then, schema.else);
    for (const part of valuesOf(schema.dependentSchemas)) queue.push(part);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const parts = schema[keyword];
      if (Array.isArray(parts)) for (const part of parts) queue.push(part);
    }
  }
  return [...found];
}

function itemSchemas({ prefixItems, items, contains, unevaluatedItems }: Schema, index: number): unknown[] {
  const own = Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items;
  return [own, contains, unevaluatedItems];
}

function valuesOf(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : [];
}
