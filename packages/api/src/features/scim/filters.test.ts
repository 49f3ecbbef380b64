// Subject: filters of lists, in SQL, against the same filters of the resources that the lists return.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { testApp, type Wire } from "../../../test-support/http.ts";
import { scimOf } from "../../../test-support/scim.ts";
import { GROUP, type ResourceSchema, USER } from "./protocol/attributes.ts";
import { bindFilter } from "./protocol/bind-filter.ts";
import { meets } from "./protocol/evaluate-filter.ts";
import { parseFilter } from "./protocol/parse-filter.ts";

const WORDS = ["ada", "ADA", "a", "_", "%", "é", "É", "ad\\a", "'", ""];
const word = fc.constantFrom(...WORDS);
const operator = fc.constantFrom("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le");
const equality = fc.constantFrom("eq", "ne");

const comparison = (path: string, value: fc.Arbitrary<string> = word) =>
  fc.tuple(operator, value).map(([op, text]) => `${path} ${op} ${JSON.stringify(text)}`);

function filterOf(terms: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(...terms),
      fc.tuple(tie("filter"), tie("filter")).map(([one, other]) => `(${one}) and ${other}`),
      fc.tuple(tie("filter"), tie("filter")).map(([one, other]) => `${one} or ${other}`),
      tie("filter").map((inner) => `not (${inner})`),
    ),
  })).filter;
}

const USER_TERMS = (ids: readonly string[], groups: readonly string[]) => [
  ...["userName", "displayName", "externalId", "name.givenName", "emails", "emails.value", "emails.type"].map(
    (path) => comparison(path),
  ),
  ...["displayName", "externalId", "name", "name.familyName", "emails", "emails.type", "groups", "title"].map(
    (path) => fc.constant(`${path} pr`),
  ),
  fc.tuple(equality, fc.boolean()).map(([op, value]) => `active ${op} ${value}`),
  fc.tuple(equality, fc.boolean()).map(([op, value]) => `emails.primary ${op} ${value}`),
  fc.tuple(equality, fc.constantFrom(...ids, "nobody")).map(([op, id]) => `id ${op} "${id}"`),
  fc.tuple(equality, fc.constantFrom(...groups)).map(([op, id]) => `groups.value ${op} "${id}"`),
  fc.tuple(equality, fc.constantFrom("externalId", "displayName")).map(([op, path]) => `${path} ${op} null`),
  fc
    .tuple(comparison("value"), comparison("type"))
    .map(([one, other]) => `emails[${one} and not (${other})]`),
  fc.constantFrom('meta.created gt "2020-01-01T00:00:00Z"', 'meta.lastModified lt "2020-01-01T00:00:00Z"'),
];

const GROUP_TERMS = (users: readonly string[]) => [
  comparison("displayName"),
  comparison("members.display"),
  fc.constantFrom("members pr", "externalId pr", 'members.type eq "user"'),
  fc.tuple(equality, fc.constantFrom(...users)).map(([op, id]) => `members.value ${op} "${id}"`),
  fc.constantFrom(...users).map((id) => `members[value eq "${id}"]`),
];

const givenUser = fc.record(
  {
    userName: word,
    displayName: word,
    externalId: word,
    active: fc.boolean(),
    name: fc.record({ givenName: word, familyName: word }, { requiredKeys: [] }),
    emails: fc.array(
      fc.record({ value: word, type: word, primary: fc.constant(false) }, { requiredKeys: ["value"] }),
      {
        maxLength: 3,
      },
    ),
  },
  { requiredKeys: ["userName"] },
);

test("property: a list has the users and groups that meet its filter", async (t) => {
  const scim = await scimOf(await testApp(t), "acme");
  const users: Wire[] = [];
  for (const [index, given] of fc.sample(givenUser, { numRuns: 12, seed: 1 }).entries()) {
    const emails = [
      ...(given.emails ?? []).map((email) => ({ ...email, value: `${email.value}x` })),
      { value: `u${index}@example.com`, primary: true },
    ];
    const made = await scim.send("POST", "/Users", {
      ...given,
      userName: `${given.userName}${index}`,
      emails,
    });
    assert.equal(made.status, 201, made.text);
    users.push(made.body);
  }
  const ids = users.map(({ id }) => id as string);
  for (const displayName of ["Ada", "_", "none"]) {
    const members = ids
      .filter((_, index) => index % (displayName.length + 1) === 0)
      .map((value) => ({ value }));
    const made = await scim.send("POST", "/Groups", {
      displayName,
      members: displayName === "none" ? [] : members,
    });
    assert.equal(made.status, 201, made.text);
  }
  const all = {
    users: (await scim.send("GET", "/Users")).body,
    groups: (await scim.send("GET", "/Groups")).body,
  };
  const groupIds = all.groups.Resources.map(({ id }: Wire) => id);
  const check = async (schema: ResourceSchema, resources: Wire[], filter: string) => {
    const query = new URLSearchParams({ filter }).toString();
    const { status, body, text } = await scim.send("GET", `${schema.endpoint}?${query}`);
    assert.equal(status, 200, `${filter}: ${text}`);
    const bound = bindFilter(parseFilter(filter), schema);
    assert.deepEqual(
      body.Resources.map(({ id }: Wire) => id),
      resources.filter((resource) => meets(resource, bound)).map(({ id }) => id),
      filter,
    );
    assert.equal(body.totalResults, body.Resources.length);
  };
  await fc.assert(
    fc.asyncProperty(filterOf(USER_TERMS(ids, groupIds)), (filter) =>
      check(USER, all.users.Resources, filter),
    ),
    { numRuns: 300 },
  );
  await fc.assert(
    fc.asyncProperty(filterOf(GROUP_TERMS(ids)), (filter) => check(GROUP, all.groups.Resources, filter)),
    { numRuns: 100 },
  );
});

test("an attribute is compared only with values and operators of its type", async (t) => {
  const scim = await scimOf(await testApp(t), "acme");
  for (const filter of [
    "userName eq true",
    "active gt true",
    'active eq "perhaps"',
    "active co true",
    'id co "usr"',
    'meta.created eq "today"',
    'meta.created co "2020-01-01T00:00:00Z"',
    'name eq "x"',
    'name[givenName eq "x"]',
    "userName gt null",
  ]) {
    const { status, body } = await scim.send("GET", `/Users?${new URLSearchParams({ filter })}`);
    assert.deepEqual([status, body.scimType, body.status], [400, "invalidFilter", "400"], filter);
  }
  const unknown = await scim.send("GET", `/Users?${new URLSearchParams({ filter: 'title eq "x"' })}`);
  assert.deepEqual([unknown.status, unknown.body.totalResults], [200, 0]);
});
