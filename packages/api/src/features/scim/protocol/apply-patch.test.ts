import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyPatch } from "./apply-patch.ts";
import { USER } from "./attributes.ts";
import type { Resource } from "./evaluate-filter.ts";
import { readPatch } from "./patch-operations.ts";
import { readResource } from "./read-resource.ts";
import { ScimError } from "./scim-error.ts";

const ADA = {
  userName: "ada",
  name: { givenName: "Ada", familyName: "King" },
  emails: [
    { type: "work", value: "ada@example.com", primary: true },
    { type: "home", value: "ada@home.example" },
  ],
};

function patched(...Operations: object[]): Resource {
  return applyPatch(structuredClone(ADA), readPatch({ Operations }, USER));
}

function rejected(scimType: string, ...Operations: object[]): void {
  assert.throws(
    () => patched(...Operations),
    (error) => error instanceof ScimError && error.scimType === scimType,
    JSON.stringify(Operations),
  );
}

const [WORK, HOME] = ADA.emails;

test("requests of Entra ID: capital operations, text for booleans, dotted keys, values to remove", () => {
  assert.equal(patched({ op: "Replace", path: "active", value: "False" }).active, false);
  assert.equal(patched({ op: "Add", path: "active", value: "True" }).active, true);
  const named = patched({ op: "Replace", value: { displayName: "Ada K", "name.givenName": "A" } });
  assert.deepEqual([named.displayName, named.name], ["Ada K", { givenName: "A", familyName: "King" }]);
  assert.deepEqual(
    patched({ op: "Replace", path: 'emails[type eq "work"].value', value: "new@example.com" }).emails,
    [{ ...WORK, value: "new@example.com" }, HOME],
  );
  const added = patched({ op: "Add", path: 'emails[type eq "other"].value', value: "o@example.com" });
  assert.deepEqual(added.emails, [WORK, HOME, { type: "other", value: "o@example.com" }]);
  const byKey = patched({ op: "replace", value: { 'emails[type eq "home"].value': "h@example.com" } });
  assert.deepEqual(byKey.emails, [WORK, { ...HOME, value: "h@example.com" }]);
  assert.deepEqual(patched({ op: "Remove", path: "emails", value: [{ value: "ada@home.example" }] }).emails, [
    WORK,
  ]);
});

test("requests of Okta: an object without a path", () => {
  assert.deepEqual(patched({ op: "replace", value: { active: false } }), { ...ADA, active: false });
  assert.deepEqual(patched({ op: "replace", value: { id: "x", schemas: [], meta: {} } }), ADA);
});

test("add, replace and remove of the RFC", () => {
  const other = { value: "x@example.com", type: "other", primary: true };
  assert.deepEqual(patched({ op: "add", path: "emails", value: [other] }).emails, [
    { ...WORK, primary: false },
    HOME,
    other,
  ]);
  assert.deepEqual(patched({ op: "add", path: "emails", value: [HOME] }).emails, [WORK, HOME]);
  assert.deepEqual(patched({ op: "replace", path: "emails", value: [HOME] }).emails, [HOME]);
  assert.equal(patched({ op: "remove", path: "emails" }).emails, undefined);
  assert.deepEqual(patched({ op: "remove", path: 'emails[type eq "WORK"]' }).emails, [HOME]);
  assert.deepEqual(patched({ op: "remove", path: "emails[primary eq true].primary" }).emails, [
    { type: "work", value: "ada@example.com" },
    HOME,
  ]);
  assert.deepEqual(patched({ op: "replace", path: 'emails[type eq "home"].primary', value: true }).emails, [
    { ...WORK, primary: false },
    { ...HOME, primary: true },
  ]);
  assert.deepEqual(patched({ op: "replace", path: "name", value: { givenName: "A" } }).name, {
    givenName: "A",
    familyName: "King",
  });
  assert.deepEqual(patched({ op: "remove", path: "name.givenName" }).name, { familyName: "King" });
  assert.equal(patched({ op: "remove", path: "NAME" }).name, undefined);
  const urn = "urn:ietf:params:scim:schemas:core:2.0:User";
  assert.equal(patched({ op: "add", path: `${urn}:USERNAME`, value: "b" }).userName, "b");
  const inOrder = patched(
    { op: "add", path: "displayName", value: "1" },
    { op: "replace", path: "displayName", value: "2" },
  );
  assert.equal(inOrder.displayName, "2");
});

test("attributes that no user has here are left out", () => {
  const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
  for (const operation of [
    { op: "Add", path: `${enterprise}:department`, value: "R" },
    { op: "Add", path: 'addresses[type eq "work"].formatted', value: "R" },
    { op: "Replace", path: "title", value: "R" },
    {
      op: "replace",
      value: { [`${enterprise}:manager`]: "x", [enterprise]: { department: "x" }, title: "y" },
    },
    { op: "replace", path: "emails.unknown", value: "x" },
  ])
    assert.deepEqual(patched(operation), ADA, JSON.stringify(operation));
});

test("what cannot be applied is an error of the RFC", () => {
  rejected("invalidSyntax");
  rejected("invalidSyntax", { op: "move", path: "userName", value: "x" });
  rejected("noTarget", { op: "remove" });
  rejected("noTarget", { op: "replace", path: 'emails[value co "nobody"].type', value: "x" });
  rejected("invalidPath", { op: "replace", path: "emails[", value: "x" });
  rejected("invalidPath", { op: "replace", path: 'userName[value eq "x"]', value: "x" });
  rejected("invalidValue", { op: "add", path: "userName" });
  rejected("invalidValue", { op: "add", path: "active", value: "maybe" });
  rejected("invalidValue", { op: "add", path: "userName", value: 7 });
  rejected("mutability", { op: "replace", path: "id", value: "x" });
  rejected("mutability", { op: "add", path: "groups", value: [{ value: "x" }] });
});

test("property: a patch that replaces each attribute by path makes what a PUT makes", () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/);
  const email = fc.record({ value: word, type: word }, { requiredKeys: ["value"] });
  const user = fc.record(
    {
      userName: word,
      displayName: word,
      externalId: word,
      active: fc.boolean(),
      name: fc.record({ givenName: word, familyName: word }),
      emails: fc.uniqueArray(email, { minLength: 1, selector: ({ value }) => value }),
    },
    { requiredKeys: ["userName"] },
  );
  const casing = fc.func(fc.boolean());
  fc.assert(
    fc.property(user, user, casing, (before, after, upper) => {
      const Operations = [
        ...Object.keys(before).map((path) => ({ op: "Remove", path })),
        ...Object.entries(after).map(([path, value]) => ({
          op: "Add",
          path: upper(path) ? path.toUpperCase() : path,
          value,
        })),
      ];
      assert.deepEqual(applyPatch(before, readPatch({ Operations }, USER)), readResource(after, USER));
    }),
  );
});
