import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseFilter, parsePatchPath } from "./parse-filter.ts";
import { ScimError } from "./scim-error.ts";

const compare = (path: string, operator: string, value: unknown) => ({
  kind: "compare",
  path,
  operator,
  value,
});

test("filters of the RFC, Okta and Entra ID are read", () => {
  const known: [string, unknown][] = [
    ['userName eq "bjensen"', compare("userName", "eq", "bjensen")],
    ['name.familyName co "O\'Malley"', compare("name.familyName", "co", "O'Malley")],
    [
      'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
      compare("urn:ietf:params:scim:schemas:core:2.0:User:userName", "sw", "J"),
    ],
    ["title pr", { kind: "present", path: "title" }],
    ["active EQ True", compare("active", "eq", true)],
    ["count ge -1.5e3", compare("count", "ge", -1_500)],
    ["externalId eq null", compare("externalId", "eq", null)],
    ['a eq "x)] and \\"\\u0041"', compare("a", "eq", 'x)] and "A')],
    [
      'a pr or b pr AND not (c eq "1")',
      {
        kind: "or",
        parts: [
          { kind: "present", path: "a" },
          {
            kind: "and",
            parts: [
              { kind: "present", path: "b" },
              { kind: "not", part: compare("c", "eq", "1") },
            ],
          },
        ],
      },
    ],
    [
      "(a pr or b pr) and c pr",
      {
        kind: "and",
        parts: [
          {
            kind: "or",
            parts: [
              { kind: "present", path: "a" },
              { kind: "present", path: "b" },
            ],
          },
          { kind: "present", path: "c" },
        ],
      },
    ],
    [
      'emails[type eq "work" and value co "@example.com"]',
      {
        kind: "any",
        path: "emails",
        part: { kind: "and", parts: [compare("type", "eq", "work"), compare("value", "co", "@example.com")] },
      },
    ],
    [
      'emails[type eq "work"].value eq "a@b"',
      {
        kind: "any",
        path: "emails",
        part: { kind: "and", parts: [compare("type", "eq", "work"), compare("value", "eq", "a@b")] },
      },
    ],
  ];
  for (const [text, filter] of known) assert.deepEqual(parseFilter(text), filter, text);
});

test("what is no filter is invalidFilter, however long or deep it is", () => {
  for (const text of [
    "",
    " ",
    "userName",
    "userName eq",
    'userName is "x"',
    "userName eq x",
    "userName eq 1e400e",
    'userName eq "x',
    'userName eq "x" garbage',
    'userName eq "x" and',
    '(userName eq "x"',
    'userName eq "x")',
    'not userName eq "x"',
    'emails[type eq "work"',
    'emails[type eq "work"] eq "x"',
    'userName eq "\\ud800"',
    'userName eq "\\u0000"',
    `userName eq "${"x".repeat(5_000)}"`,
    `${"(".repeat(1_000)}a pr${")".repeat(1_000)}`,
    Array.from({ length: 101 }, () => "a pr").join(" or "),
  ])
    assert.throws(
      () => parseFilter(text),
      (error) => error instanceof ScimError && error.scimType === "invalidFilter" && error.status === 400,
      text.slice(0, 100),
    );
});

test("property: any text is a filter or a ScimError", () => {
  const piece = fc.constantFrom(
    "userName",
    "emails[",
    "]",
    "(",
    ")",
    " and ",
    " or ",
    "not",
    ' eq "x"',
    " pr",
    '"',
    ".value",
    "true",
    "-1",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(text, (given) => {
      for (const read of [parseFilter, parsePatchPath])
        try {
          read(given);
        } catch (error) {
          assert.ok(error instanceof ScimError, `${given}: ${error}`);
        }
    }),
  );
});

test("paths of PATCH are read", () => {
  assert.deepEqual(parsePatchPath("name.familyName"), { path: "name.familyName", filter: null, sub: null });
  assert.deepEqual(parsePatchPath('emails[type eq "work"].value'), {
    path: "emails",
    filter: compare("type", "eq", "work"),
    sub: "value",
  });
  for (const text of ["", "emails[", 'emails[type eq "x"]value', "a b", "emails[]", ".value"])
    assert.throws(
      () => parsePatchPath(text),
      (error) => error instanceof ScimError && error.scimType === "invalidPath",
      text,
    );
});
