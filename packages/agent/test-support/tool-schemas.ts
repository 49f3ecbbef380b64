import fc from "fast-check";

/** A JSON Schema, and an input that matches it. */
interface Described {
  schema: Record<string, unknown>;
  input(as: Naming): unknown;
}

interface Naming {
  /** Returns the name in the input of a property that the schema has. */
  called(name: string): string;
  /** The target of references. */
  definition: Described;
  /** The number of references followed to this point. */
  references: number;
}

type Named = [string, Described];

/** Names that providers accept or reject, that become equal when replaced, or that are keywords. */
const propertyName = fc.oneof(
  fc.constantFrom("a", "b_2", "properties", "required", "items", "enum", "default", "constructor"),
  fc.constantFrom("$filter", "_filter", "@id", "a/b", "a~b", "a b", "größe", "", "$ref", "n".repeat(70)),
  fc.string({ maxLength: 8 }),
);
/** Names in an input that no schema has. */
const FREE = ["zz/free", "zz free"];
const MAX_REFERENCES = 1;

const data = (schema: Described["schema"], value: unknown): Described => ({ schema, input: () => value });

const REFERENCE: Described = {
  schema: { $ref: "#/$defs/a%20definition" },
  input: ({ references, ...as }) =>
    references === MAX_REFERENCES ? null : as.definition.input({ ...as, references: references + 1 }),
};

const { node } = fc.letrec<{ node: Described; object: Described }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(
      data({ type: "string", format: "date" }, "x"),
      data({ type: ["integer", "null"] }, null),
      data({ enum: [{ properties: { "a b": 1 } }, 2] }, { properties: { "a b": 1 } }),
      data({ const: { "$x y": [] }, default: { $ref: "#/none" } }, { "$x y": [] }),
      data({}, { "free name": [{ "@id": 1 }] }),
      data({ type: "array" }, [{ "a/b": 1 }]),
      REFERENCE,
    ),
    tie("object"),
    fc.tuple(fc.array(tie("node"), { maxLength: 2 }), tie("node"), fc.boolean()).map(arrayOf),
    fc
      .tuple(tie("node"), tie("node"), fc.constantFrom("anyOf", "oneOf"))
      .map(([one, other, keyword]) => ({ ...one, schema: { [keyword]: [other.schema, one.schema] } })),
  ),
  object: objects(tie("node"), named(tie("node"), 1)),
}));
/** Schemas without conditions at the top: the model would get those in words, with the original names. */
const top = objects(node, fc.constant([]));
const alternative = objects(node, fc.constant([]), fc.constant(null));

function named(inner: fc.Arbitrary<Described>, maxLength: number): fc.Arbitrary<Named[]> {
  return fc.uniqueArray(fc.tuple(propertyName, inner), { maxLength, selector: ([name]) => name });
}

function objects(
  inner: fc.Arbitrary<Described>,
  conditional: fc.Arbitrary<Named[]>,
  free: fc.Arbitrary<Described | null> = fc.option(inner),
): fc.Arbitrary<Described> {
  return fc.tuple(named(inner, 4), conditional, free, fc.boolean()).map(objectOf);
}

function arrayOf([first, rest, isOld]: [Described[], Described, boolean]): Described {
  const schemas = first.map(({ schema }) => schema);
  const isTuple = isOld && first.length > 0;
  const prefix = first.length === 0 ? {} : { prefixItems: schemas };
  return {
    schema: { type: "array", ...(isTuple ? { items: schemas } : { ...prefix, items: rest.schema }) },
    input: (as) => [...first, ...(isTuple ? [] : [rest])].map((one) => one.input(as)),
  };
}

function objectOf([own, then, free, byPattern]: [Named[], Named[], Described | null, boolean]): Described {
  const schemaOf = (named: Named[]) => Object.fromEntries(named.map(([name, { schema }]) => [name, schema]));
  const [first = "", ...others] = own.map(([name]) => name);
  const declared = [...then, ...own];
  return {
    schema: {
      type: "object",
      properties: schemaOf(own),
      ...(own.length > 0 && { required: [first] }),
      ...(others.length > 0 && { dependentRequired: { [first]: others } }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      ...(then.length > 0 && { if: {}, then: { properties: schemaOf(then) } }),
      ...(free !== null &&
        (byPattern ? { patternProperties: { "^zz": free.schema } } : { additionalProperties: free.schema })),
    },
    input: (as) =>
      Object.fromEntries([
        ...declared.map(([name, one]): [string, unknown] => [as.called(name), one.input(as)]),
        ...(free === null ? [] : FREE.map((name): [string, unknown] => [name, free.input(as)])),
      ]),
  };
}

/** A custom tool's schema as the API accepts it, and a matching input with property names of `called`. */
export interface ToolSchema {
  schema: Described["schema"] & { type: "object" };
  input(called: (name: string) => string): Record<string, unknown>;
}

/**
 * Generates schemas that providers may reject: for combinations at the top, references, keywords of other
 * dialects, and property names.
 */
export const toolSchema: fc.Arbitrary<ToolSchema> = fc
  .tuple(
    top,
    fc.array(alternative, { maxLength: 2 }),
    fc.constantFrom("anyOf", "oneOf", "allOf"),
    node,
    fc.boolean(),
  )
  .map(([root, alternatives, keyword, definition, hasDialect]) => {
    const properties = root.schema.properties as Record<string, unknown>;
    const [again] = Object.keys(properties);
    const sameAs = again === undefined ? {} : { same: { $ref: `#/properties/${pointer(again)}` } };
    return {
      schema: {
        ...(hasDialect && { $schema: "http://json-schema.org/draft-07/schema#" }),
        ...root.schema,
        type: "object",
        properties: { ...properties, ...sameAs },
        ...(alternatives.length > 0 && { [keyword]: alternatives.map(({ schema }) => schema) }),
        $defs: { "a definition": definition.schema, properties: { $ref: "#/$defs/a%20definition" } },
      },
      input: (called) => {
        const as = { called, definition, references: 0 };
        const whole = [...alternatives, root].map((one) => one.input(as) as object);
        const input = Object.assign({}, ...whole) as Record<string, unknown>;
        return again === undefined ? input : { ...input, same: input[called(again)] };
      },
    };
  });

function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Keywords that no provider accepts at the top of a tool's schema. */
const NOT_AT_TOP = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"];
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const DATA = ["enum", "const", "default", "examples"];

/** Returns what providers reject in the schema of a tool; empty for one that each of them accepts. */
export function schemaProblems(schema: Record<string, unknown>): string[] {
  const problems = NOT_AT_TOP.filter((keyword) => Object.hasOwn(schema, keyword)).map(
    (keyword) => `'${keyword}' at its top`,
  );
  if (schema.type !== "object") problems.push("its type is not object");
  collectProblems(schema, schema, problems);
  return problems;
}

function collectProblems(value: unknown, root: Record<string, unknown>, problems: string[]): void {
  if (Array.isArray(value)) for (const one of value) collectProblems(one, root, problems);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const schema = value as Record<string, unknown>;
  for (const [key, one] of Object.entries(schema)) {
    if (DATA.includes(key)) continue;
    if (["$schema", "$id", "$anchor"].includes(key)) problems.push(`the keyword '${key}'`);
    if (key === "$ref" && !leadsToSchema(String(one), root)) problems.push(`the reference '${String(one)}'`);
    if (!MAPS.includes(key)) collectProblems(one, root, problems);
    else {
      for (const [name, inner] of Object.entries(one as object)) {
        if (key === "properties" && !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
          problems.push(`the name of a property, '${name}'`);
        collectProblems(inner, root, problems);
      }
    }
  }
  if ([schema.type].flat().includes("array") && typeof schema.items !== "object")
    problems.push("an array without items");
}

function leadsToSchema(reference: string, root: Record<string, unknown>): boolean {
  const keys = reference
    .split("/")
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = keys.reduce<unknown>(
    (at, key) => (Object.hasOwn(Object(at), key) ? Reflect.get(Object(at), key) : undefined),
    root,
  );
  return typeof found === "object" && found !== null;
}
