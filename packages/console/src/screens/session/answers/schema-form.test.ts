import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, readForm, resultFormOf } from "./schema-form.ts";

const schema = {
  type: "object",
  required: ["name", "size", "color"],
  properties: {
    name: { type: "string", title: "Full name", description: "Of the person", minLength: 2, maxLength: 5 },
    size: { type: "integer", minimum: 1, maximum: 9 },
    ratio: { type: "number" },
    sure: { type: "boolean" },
    color: { enum: ["red", 3, null] },
    more: { type: "array", items: {} },
    names: { type: "array", items: { type: "string" } },
  },
};
const fields = fieldsOf(schema);
const read = (entries: Record<string, string>) =>
  readForm(fields, { name: "abc", size: "2", color: "red", ...entries });

test("each property is a field of its kind, with label, explanation and whether it is needed", () => {
  assert.deepEqual(
    fields.map(({ name, kind, required }) => [name, kind, required]),
    [
      ["name", "text", true],
      ["size", "integer", true],
      ["ratio", "number", false],
      ["sure", "boolean", false],
      ["color", "choice", true],
      ["more", "json", false],
      ["names", "list", false],
    ],
  );
  assert.deepEqual(
    [fields[0]?.label, fields[0]?.about, fields[1]?.label],
    ["Full name", "Of the person", "size"],
  );
});

test("what is typed becomes values of the schema's types; empty fields are left out", () => {
  assert.deepEqual(read({ ratio: "0.5", sure: "true", color: "3", more: "[1]", names: "a\n\nb c\n" }).value, {
    name: "abc",
    size: 2,
    ratio: 0.5,
    sure: true,
    color: 3,
    more: [1],
    names: ["a", "b c"],
  });
  assert.deepEqual(read({ color: "null" }).value, { name: "abc", size: 2, color: null });
});

test("each fault is told at its field", () => {
  const faults: [string, string, RegExp][] = [
    ["name", "", /required/],
    ["name", "a", /At least 2 characters/],
    ["name", "abcdef", /At most 5 characters/],
    ["size", "x", /not a number/],
    ["size", "1.5", /whole number/],
    ["size", "0", /At least 1/],
    ["size", "10", /At most 9/],
    ["color", "blue", /Choose/],
    ["more", "[", /not JSON/],
  ];
  for (const [name, typed, message] of faults) {
    const { errors } = read({ [name]: typed });
    assert.deepEqual(Object.keys(errors ?? {}), [name]);
    assert.match(errors?.[name] ?? "", message);
  }
});

test("a schema of any other form has no fields, and faults of it throw nothing", () => {
  for (const odd of [{}, { properties: [] }, { properties: { a: 7 } }, { properties: null, required: "a" }])
    assert.ok(readForm(fieldsOf(odd), {}).value);
});

test("what may also be null is a field of its other type, and null where it is needed and left empty", () => {
  const fields = fieldsOf({
    required: ["note", "size"],
    properties: {
      note: { type: ["string", "null"], description: "Why" },
      size: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }], title: "Size" },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
    },
  });
  assert.deepEqual(
    fields.map(({ label, kind }) => `${label} ${kind}`),
    ["note text", "Size integer", "either json"],
  );
  assert.deepEqual(readForm(fields, {}).value, { note: null, size: null });
  assert.match(readForm(fields, { size: "0" }).errors?.size ?? "", /At least 1/);
});

test("a result has a form if the input's schema defines it: a field for each property, or one field", () => {
  const formOf = (result: unknown) => resultFormOf({ type: "object", $defs: { result } });
  const object = formOf({ type: "object", properties: { ok: { type: "boolean" }, why: { type: "string" } } });
  assert.deepEqual(
    object?.fields.map(({ name }) => name),
    ["ok", "why"],
  );
  assert.equal(object?.textOf({ ok: true }), '{"ok":true}');
  const kinds = [
    { enum: ["ship", "hold"] },
    { type: "string" },
    { type: "array" },
    { type: "object" },
    { $ref: "#" },
  ];
  assert.deepEqual(
    kinds.map((schema) => formOf(schema)?.fields.map(({ label, kind }) => `${label} ${kind}`)),
    [["Result choice"], ["Result text"], ["Result json"], ["Result json"], ["Result json"]],
  );
  assert.equal(formOf({ type: "string" })?.textOf({ result: "as it is" }), "as it is");
  assert.equal(formOf({ type: "array" })?.textOf({ result: [1] }), "[1]");
  for (const none of [{}, { $defs: {} }, { $defs: { result: {} } }, { $defs: { result: true } }])
    assert.equal(resultFormOf(none), null);
});

test("fields whose names every object has are empty until something is typed", () => {
  const properties = { constructor: { type: "string" }, toString: { type: "number" } };
  const fields = fieldsOf({ type: "object", properties }) ?? [];
  assert.deepEqual(readForm(fields, {}), { value: {}, errors: null });
  assert.deepEqual(readForm(fields, { constructor: "x" } as never).value, { constructor: "x" });
});
