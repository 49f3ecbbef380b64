import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeToolSchema } from "./normalize-schema.ts";
import { originalInput } from "./original-input.ts";

function normalized(given: unknown) {
  const outcome = normalizeToolSchema(given);
  assert.ok("schema" in outcome, JSON.stringify(outcome));
  return outcome;
}

const string = { type: "string" };

test("schema that providers accept: stays the same bytes", () => {
  const schema = {
    type: "object",
    description: "x",
    properties: {
      properties: { type: "object", properties: { $ref: string } },
      kind: { enum: ["a", 1, null], default: { $ref: "no reference" } },
      list: { type: ["array", "null"], items: { anyOf: [string, { $ref: "#/$defs/tree" }] }, minItems: 1 },
      any: {},
    },
    required: ["kind"],
    additionalProperties: false,
    $defs: { tree: { type: "object", properties: { left: { $ref: "#/$defs/tree" } } } },
    "x-mcp-header": "Region",
  };
  const withoutSchema = normalized({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema });
  // Providers reject the property name `$ref`.
  const { schema: changed, originals } = withoutSchema;
  assert.deepEqual(originals, { _ref: "$ref" });
  assert.equal(JSON.stringify(changed).replace('"_ref"', '"$ref"'), JSON.stringify(schema));
  assert.equal(withoutSchema.conditions, null);
});

test("combinations at the top: the properties of all alternatives, required by each, with the rest in words", () => {
  const a = { type: "object", properties: { by: { const: "id" }, id: string }, required: ["by", "id"] };
  const b = { type: "object", properties: { by: { const: "name" }, name: string }, required: ["by", "name"] };
  for (const keyword of ["anyOf", "oneOf"]) {
    const { schema, conditions } = normalized({ type: "object", [keyword]: [a, b] });
    assert.deepEqual(schema, {
      type: "object",
      properties: { by: { anyOf: [{ const: "id" }, { const: "name" }] }, id: string, name: string },
      required: ["by"],
    });
    assert.ok(conditions?.includes(JSON.stringify([a, b])), String(conditions));
  }
  const every = normalized({ allOf: [a, { properties: { more: string }, required: ["more"] }] });
  assert.deepEqual(every.schema.required, ["by", "id", "more"]);
  const either = normalized({
    type: "object",
    properties: { path: string, url: string },
    anyOf: [{ required: ["path"] }, { required: ["url"] }],
  });
  assert.deepEqual(either.schema, { type: "object", properties: { path: string, url: string } });
  assert.match(String(either.conditions), /"required":\["path"\]/);
  const referred = normalized({
    $ref: "#/definitions/Query",
    definitions: { Query: { anyOf: [a, { type: "null" }] } },
  });
  assert.deepEqual(referred.schema.required, ["by", "id"]);
});

test("names of properties that providers reject: others, and calls get the server's names back", () => {
  const { schema, originals } = normalized({
    type: "object",
    properties: {
      $filter: string,
      _filter: string,
      "größe in cm": { type: "number" },
      "": string,
      ["n".repeat(70)]: string,
      rows: { type: "array", items: { $ref: "#/$defs/row" } },
      free: { type: "object" },
      either: { anyOf: [{ type: "object", properties: { "@id": string } }, string] },
    },
    required: ["$filter", "rows"],
    $defs: {
      row: { type: "object", properties: { "a/b": string }, additionalProperties: { type: "object" } },
    },
  });
  const names = Object.keys(schema.properties as object);
  assert.ok(
    names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
    String(names),
  );
  assert.equal(new Set(names).size, 8);
  assert.deepEqual(schema.required, ["_filter_2", "rows"]);
  const model = {
    _filter_2: "x",
    _filter: "y",
    gr__e_in_cm: 3,
    ["n".repeat(64)]: "long",
    rows: [{ a_b: "1", other: { a_b: "free" } }],
    free: { _filter_2: "data", a_b: "data" },
    either: { _id: "i" },
  };
  assert.deepEqual(originalInput(model, schema, originals), {
    $filter: "x",
    _filter: "y",
    "größe in cm": 3,
    ["n".repeat(70)]: "long",
    rows: [{ "a/b": "1", other: { a_b: "free" } }],
    free: { _filter_2: "data", a_b: "data" },
    either: { "@id": "i" },
  });
});

test("older drafts and invalid keywords: as 2020-12 has them, or left out", () => {
  const { schema } = normalized({
    properties: {
      pair: { type: "array", items: [string, { type: "number" }] },
      list: { type: "array" },
      above: { type: "number", minimum: 3, exclusiveMinimum: true },
      wrong: { type: "any", minLength: "3", required: true, enum: [] },
      yes: true,
      no: false,
      odd: "string",
      away: { $ref: "https://example.com/schema.json" },
      dead: { $ref: "#/definitions/none", description: "kept" },
    },
    required: "pair",
  });
  assert.deepEqual(schema, {
    properties: {
      pair: { type: "array", items: {}, prefixItems: [string, { type: "number" }] },
      list: { type: "array", items: {} },
      above: { type: "number", exclusiveMinimum: 3 },
      wrong: {},
      yes: {},
      no: { not: {} },
      odd: {},
      away: {},
      dead: { description: "kept" },
    },
    type: "object",
  });
});

test("schema that cannot be that of an object: a reason", () => {
  const reasons: [unknown, RegExp][] = [
    [{ type: "string" }, /type string, not object/],
    [{ type: ["array", "null"] }, /type array or null, not object/],
    [{ anyOf: [{ type: "object" }, { type: "array" }] }, /type array, not object/],
    [[], /not an object/],
    ["object", /not an object/],
    [{ $ref: "#" }, /refers to itself/],
    [{ anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) }, /refers to itself/],
  ];
  for (const [given, words] of reasons) {
    const outcome = normalizeToolSchema(given);
    assert.ok("reason" in outcome && words.test(outcome.reason), JSON.stringify([given, outcome]));
  }
  assert.deepEqual(normalized(undefined).schema, { type: "object", properties: {} });
});
