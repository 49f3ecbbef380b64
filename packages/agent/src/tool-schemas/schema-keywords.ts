import { isObject, type Schema } from "./json-schema.ts";

/** Converts a keyword's value; undefined drops one that JSON Schema 2020-12 does not allow. */
type Keyword = (value: unknown, normalize: (schema: unknown) => Schema) => unknown;

const TYPES: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

const only =
  (isValid: (value: unknown) => boolean): Keyword =>
  (value) =>
    isValid(value) ? value : undefined;
const number = only((value) => typeof value === "number");
const count = only((value) => Number.isInteger(value) && (value as number) >= 0);
const text = only((value) => typeof value === "string");
const boolean = only((value) => typeof value === "boolean");
const schema: Keyword = (value, normalize) => normalize(value);
const schemas: Keyword = (value, normalize) =>
  Array.isArray(value) && value.length > 0 ? value.map(normalize) : undefined;
const schemasByName: Keyword = (value, normalize) =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, normalize(one)]))
    : undefined;
const dropped: Keyword = () => undefined;

function type(value: unknown): unknown {
  if (!Array.isArray(value)) return TYPES.includes(value) ? value : undefined;
  const known = [...new Set(value)].filter((one) => TYPES.includes(one));
  return known.length > 0 ? known : undefined;
}

/** Conversions by keyword. Other keywords are annotations, and stay unchanged. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({
    // These would name another dialect, or another document for references.
    ...Object.fromEntries(
      ["$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary"].map((name) => [
        name,
        dropped,
      ]),
    ),
    $ref: text,
    type,
    enum: only((value) => Array.isArray(value) && value.length > 0),
    required: (value) =>
      Array.isArray(value) ? [...new Set(value)].filter((name) => typeof name === "string") : undefined,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: only((value) => typeof value === "number" && value > 0),
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    minProperties: count,
    maxProperties: count,
    minContains: count,
    maxContains: count,
    uniqueItems: boolean,
    title: text,
    description: text,
    pattern: text,
    format: text,
    properties: schemasByName,
    patternProperties: schemasByName,
    $defs: schemasByName,
    definitions: schemasByName,
    dependentSchemas: schemasByName,
    additionalProperties: (value, normalize) => (typeof value === "boolean" ? value : normalize(value)),
    unevaluatedProperties: (value, normalize) => (typeof value === "boolean" ? value : normalize(value)),
    unevaluatedItems: (value, normalize) => (typeof value === "boolean" ? value : normalize(value)),
    items: schema,
    prefixItems: schemas,
    contains: schema,
    propertyNames: schema,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: schema,
    else: schema,
    anyOf: schemas,
    oneOf: schemas,
    allOf: schemas,
  } satisfies Record<string, Keyword>),
);
