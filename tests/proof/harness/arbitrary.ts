import fc from "fast-check";
import { resolve, type Schema } from "./openapi-document.ts";

/**
 * Returns values for a JSON schema of the OpenAPI document: mostly valid ones, sometimes with a fault at any
 * depth. Ids are drawn from `ids`, so that many requests refer to existing objects.
 */
export function valuesOf(document: Schema, schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const valid = validValues(document, schema, ids);
  return fc.oneof({ weight: 40, arbitrary: valid }, { weight: 1, arbitrary: INVALID_VALUES });
}

/** Values that no field accepts, and values that are hard to parse. */
const INVALID_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    "",
    "\u0000",
    "\u202e",
    "é".repeat(300),
    -1,
    1.5,
    1e300,
    null,
    [],
    {},
    [[]],
    true,
    "__proto__",
  ),
);

function validValues(document: Schema, schema: Schema, ids: readonly string[]): fc.Arbitrary<unknown> {
  const again = (part: Schema) => valuesOf(document, part, ids);
  if (schema.$ref !== undefined) return validValues(document, resolve(document, schema.$ref), ids);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices: Schema[] | undefined = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map(again));
  switch (schema.type) {
    case "object":
      return objects(schema, again);
    case "array":
      return fc.array(again(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case "integer":
      return integers(schema);
    case "number":
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 16, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return strings(schema, ids);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

/** Returns integers from the minimum to 500 above it. */
function integers({ minimum = -5, maximum = Number.POSITIVE_INFINITY }: Schema): fc.Arbitrary<number> {
  return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 500) });
}

function objects(schema: Schema, again: (part: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required: string[] = schema.required ?? [];
  if (properties.length === 0)
    return fc.dictionary(
      fc.string({ maxLength: 8 }),
      again(schema.additionalProperties || { type: "string" }),
      { maxKeys: 3 },
    );
  const model = Object.fromEntries(properties.map(([name, part]) => [name, member(name, again(part))]));
  const whole = fc.record(model, { requiredKeys: required });
  const missing = fc.record(model, { requiredKeys: [] });
  const extra = fc
    .tuple(whole, fc.string({ maxLength: 10 }))
    .map(([value, name]) => ({ ...value, [`x${name}`]: 1 }));
  return fc.oneof(
    { weight: 40, arbitrary: whole },
    { weight: 1, arbitrary: missing },
    { weight: 1, arbitrary: extra },
  );
}

/** Valid values that the schema does not describe. Without them hardly any request would succeed. */
const KNOWN_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  model: ["rehearsal/steps"],
  mount_path: [null, "/data/a", "/mnt/session/uploads/a.txt", "/mnt/memory/a", "/data/../etc"],
  path: ["/notes.md", "/a/b.md"],
  version: [1, 2],
};

function member(name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const words = KNOWN_VALUES[name];
  if (words === undefined) return value;
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: value });
}

/**
 * fast-check cannot generate text for patterns with lookarounds. Only the pattern of branch names has one.
 */
const LOOKAROUND = /\(\?<?[!=]/;

function strings(schema: Schema, ids: readonly string[]): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 60 } = schema;
  if (format === "date-time")
    return fc
      .date({ min: new Date(0), max: new Date("2199-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (pattern === undefined)
    return fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: "grapheme" });
  const expression = new RegExp(pattern, "u");
  const known = ids.filter((id) => expression.test(id));
  if (known.length > 0) return fc.constantFrom(...known);
  return LOOKAROUND.test(pattern) ? fc.constantFrom("main", "-x", "a..b") : fc.stringMatching(expression);
}
