// Subject: groups by SCIM, and the roles that they give.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { testApp, type Wire } from "../../../test-support/http.ts";
import { type Scim, scimOf } from "../../../test-support/scim.ts";

async function service(t: TestContext, adminGroup: string | null = "Berth Admins") {
  const app = await testApp(t);
  const operator = await app.operator();
  const scim = await scimOf(app, "acme");
  const [{ id: organization }] = (await operator.get("/api/v1/admin/organizations?name=acme")).body.data;
  const setAdminGroup = (admin_group: string | null) =>
    operator.post(`/api/v1/admin/organizations/${organization}`, { admin_group });
  await setAdminGroup(adminGroup);
  /** An admin whom the identity provider does not manage. */
  const root = await operator.made("/api/v1/admin/users", {
    email: "root@example.com",
    organization_id: organization,
    role: "admin",
  });
  const admins = async (): Promise<string[]> =>
    (await operator.get(`/api/v1/admin/users?organization_id=${organization}`)).body.data
      .filter(({ role }: Wire) => role === "admin")
      .map(({ email }: Wire) => email)
      .toSorted();
  return { ...app, operator, scim, organization, root, admins, setAdminGroup };
}

async function madeUsers(scim: Scim, ...names: string[]): Promise<string[]> {
  const ids = [];
  for (const name of names) {
    const { status, body, text } = await scim.send("POST", "/Users", { userName: `${name}@example.com` });
    assert.equal(status, 201, text);
    ids.push(body.id);
  }
  return ids;
}

async function madeGroup(
  scim: Scim,
  displayName: string,
  members: string[] = [],
  more: object = {},
): Promise<Wire> {
  const { status, body, text } = await scim.send("POST", "/Groups", {
    displayName,
    members: members.map((value) => ({ value })),
    ...more,
  });
  assert.equal(status, 201, text);
  return body;
}

const patch = (scim: Scim, id: string, ...Operations: object[]) =>
  scim.send("PATCH", `/Groups/${id}`, { Operations });

const membersOf = async (scim: Scim, id: string): Promise<string[]> =>
  ((await scim.send("GET", `/Groups/${id}`)).body.members ?? []).map(({ value }: Wire) => value);

test("a group is created, read, replaced and deleted, with its members", async (t) => {
  const { scim } = await service(t);
  const [ada = "", bob = ""] = await madeUsers(scim, "ada", "bob");
  const group = await madeGroup(scim, "Engineers", [ada], { externalId: "g1" });
  const { id, meta, ...rest } = group;
  assert.deepEqual(rest, {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
    externalId: "g1",
    displayName: "Engineers",
    members: [
      {
        value: ada,
        $ref: `http://localhost/scim/v2/Users/${ada}`,
        type: "User",
        display: "ada@example.com",
      },
    ],
  });
  assert.equal(meta.location, `http://localhost/scim/v2/Groups/${id}`);
  assert.deepEqual((await scim.send("GET", `/Users/${ada}`)).body.groups, [
    { value: id, $ref: meta.location, display: "Engineers" },
  ]);
  const replaced = await scim.send("PUT", `/Groups/${id}`, {
    displayName: "Makers",
    members: [{ value: bob }],
  });
  assert.deepEqual(
    [replaced.body.displayName, replaced.body.externalId, await membersOf(scim, id)],
    ["Makers", undefined, [bob]],
  );
  assert.equal((await scim.send("DELETE", `/Groups/${id}`)).status, 204);
  assert.equal((await scim.send("GET", `/Groups/${id}`)).status, 404);
  assert.equal((await scim.send("GET", `/Users/${bob}`)).body.groups, undefined);
});

test("members change as Okta and Entra ID ask it, and 204 is the answer", async (t) => {
  const { scim } = await service(t);
  const [ada = "", bob = "", eve = ""] = await madeUsers(scim, "ada", "bob", "eve");
  const { id } = await madeGroup(scim, "Engineers");
  const steps: [object, string[]][] = [
    [{ op: "add", path: "members", value: [{ value: ada, display: "ada@example.com" }] }, [ada]],
    [{ op: "Add", path: "members", value: [{ $ref: null, value: bob }, { value: ada }] }, [ada, bob]],
    [{ op: "remove", path: `members[value eq "${ada}"]` }, [bob]],
    [{ op: "Remove", path: "members", value: [{ $ref: null, value: bob }] }, []],
    [{ op: "replace", path: "members", value: [{ value: eve }, { value: ada }] }, [ada, eve]],
    [{ op: "replace", value: { id, displayName: "Makers", members: [{ value: bob }] } }, [bob]],
    [{ op: "add", value: { members: [{ value: eve }] } }, [bob, eve]],
    [{ op: "remove", path: `members[value eq "${bob}" or value eq "nobody"]` }, [eve]],
    [{ op: "remove", path: `members[value eq "${ada}"]` }, [eve]],
    [{ op: "Replace", path: "displayName", value: "Builders" }, [eve]],
    [{ op: "Remove", path: "members" }, []],
  ];
  for (const [operation, members] of steps) {
    const { status, text } = await patch(scim, id, operation);
    assert.deepEqual([status, text], [204, ""], JSON.stringify(operation));
    assert.deepEqual(await membersOf(scim, id), members.toSorted(), JSON.stringify(operation));
  }
  assert.equal((await scim.send("GET", `/Groups/${id}`)).body.displayName, "Builders");
  const shown = await scim.send("PATCH", `/Groups/${id}?attributes=displayName`, {
    Operations: [{ op: "add", path: "externalId", value: "g" }],
  });
  assert.deepEqual(
    [shown.status, Object.keys(shown.body).toSorted()],
    [200, ["displayName", "id", "schemas"]],
  );
});

test("what a group cannot have is 400 or 409, and changes nothing", async (t) => {
  const { app, db, scim } = await service(t);
  const [ada = "", bob = ""] = await madeUsers(scim, "ada", "bob");
  const [foreign = ""] = await madeUsers(await scimOf({ app, db }, "other"), "eve");
  const group = await madeGroup(scim, "Engineers", [ada]);
  await madeGroup(scim, "Others");
  await scim.send("DELETE", `/Users/${bob}`);
  const rejected = async (status: number, scimType: string, reply: ReturnType<Scim["send"]>) => {
    const { body, ...got } = await reply;
    assert.deepEqual([got.status, body.scimType], [status, scimType], got.text);
  };
  for (const value of [foreign, bob, group.id, "nobody"])
    await rejected(
      400,
      "invalidValue",
      patch(scim, group.id, { op: "add", path: "members", value: [{ value }] }),
    );
  await rejected(
    400,
    "invalidValue",
    patch(scim, group.id, { op: "add", path: "members", value: [{ value: ada, type: "Group" }] }),
  );
  await rejected(400, "invalidValue", scim.send("POST", "/Groups", { members: [] }));
  await rejected(400, "invalidValue", patch(scim, group.id, { op: "remove", path: "displayName" }));
  await rejected(
    400,
    "mutability",
    patch(scim, group.id, { op: "replace", path: `members[value eq "${ada}"].display`, value: "x" }),
  );
  await rejected(409, "uniqueness", scim.send("POST", "/Groups", { displayName: "ENGINEERS" }));
  await rejected(
    409,
    "uniqueness",
    patch(scim, group.id, { op: "replace", path: "displayName", value: "others" }),
  );
  await rejected(
    400,
    "invalidValue",
    patch(
      scim,
      group.id,
      { op: "remove", path: "members" },
      { op: "add", path: "members", value: [{ value: foreign }] },
    ),
  );
  assert.deepEqual((await scim.send("GET", `/Groups/${group.id}`)).body, group);
});

test("of two creations of one group at once, one is 201 and the other 409", async (t) => {
  const { scim } = await service(t);
  const replies = await Promise.all(
    [1, 2, 3].map(() => scim.send("POST", "/Groups", { displayName: "One" })),
  );
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409]);
});

test("members of the admin group are admins, the other users of the identity provider members", async (t) => {
  const { scim, admins, setAdminGroup, operator, db } = await service(t);
  const [ada = "", bob = ""] = await madeUsers(scim, "ada", "bob");
  const group = await madeGroup(scim, "BERTH admins", [ada]);
  const root = "root@example.com";
  assert.deepEqual(await admins(), ["ada@example.com", root]);
  await patch(scim, group.id, { op: "add", path: "members", value: [{ value: bob }] });
  assert.deepEqual(await admins(), ["ada@example.com", "bob@example.com", root]);
  await patch(scim, group.id, { op: "replace", path: "displayName", value: "No longer" });
  assert.deepEqual(await admins(), [root]);
  await setAdminGroup("no longer");
  assert.deepEqual(await admins(), ["ada@example.com", "bob@example.com", root]);
  await scim.send("DELETE", `/Users/${bob}`);
  assert.deepEqual(await admins(), ["ada@example.com", root]);
  await scim.send("POST", "/Users", { userName: "bob@example.com" });
  assert.deepEqual(await admins(), ["ada@example.com", root]);
  await scim.send("PUT", `/Groups/${group.id}`, { displayName: "no longer" });
  assert.deepEqual(await admins(), [root]);
  await patch(scim, group.id, { op: "add", path: "members", value: [{ value: ada }] });
  await scim.send("DELETE", `/Groups/${group.id}`);
  assert.deepEqual(await admins(), [root]);
  await setAdminGroup(null);
  await operator.made(`/api/v1/admin/users/${ada}`, { role: "admin" });
  await madeGroup(scim, "no longer", [bob]);
  assert.deepEqual(await admins(), ["ada@example.com", root]);
  const { rows } = await db.read.query<{ resources: string[] }>({
    text: "select resources from audit_entries where operation = 'scim.groups.delete'",
  });
  assert.deepEqual(rows, [{ resources: [group.id, ada] }]);
});

test("groups cannot take the last enabled admin's role", async (t) => {
  const { scim, admins, root, operator, setAdminGroup } = await service(t);
  const [ada = ""] = await madeUsers(scim, "ada");
  const group = await madeGroup(scim, "Berth Admins", [ada]);
  await operator.post(`/api/v1/admin/users/${root.id}/disable`);
  for (const reply of [
    patch(scim, group.id, { op: "remove", path: "members" }),
    patch(scim, group.id, { op: "replace", path: "displayName", value: "x" }),
    scim.send("PUT", `/Groups/${group.id}`, { displayName: "Berth Admins" }),
    scim.send("DELETE", `/Groups/${group.id}`),
    scim.send("DELETE", `/Users/${ada}`),
  ]) {
    const { status, body } = await reply;
    assert.equal(status, 409);
    assert.match(body.detail, /^'ada@example\.com' is the only admin/);
  }
  const { status, body } = await setAdminGroup("nobody's");
  assert.deepEqual([status, body.error.type], [409, "conflict_error"]);
  assert.deepEqual(await admins(), ["ada@example.com", "root@example.com"]);
  assert.deepEqual(await membersOf(scim, group.id), [ada]);
  const [bob = ""] = await madeUsers(scim, "bob");
  const swapped = await scim.send("PUT", `/Groups/${group.id}`, {
    displayName: "Berth Admins",
    members: [{ value: bob }],
  });
  assert.equal(swapped.status, 200);
  assert.deepEqual(await admins(), ["bob@example.com", "root@example.com"]);
});

test("a list leaves members out when asked to, and is shorter where groups are large", async (t) => {
  const { scim, db } = await service(t);
  await db.write.query({
    text: `with made as (insert into users (id, organization_id, email, role)
        select gen_random_uuid(), $1, 'u' || n || '@example.com', 'member' from generate_series(1, 10000) as n
        returning id, email)
      insert into scim_users (user_id, organization_id, user_name, active) select id, $1, email, true from made`,
    values: [scim.organizationId],
  });
  for (const name of ["a", "b", "c"]) await madeGroup(scim, name);
  await db.write.query({
    text: "insert into scim_group_members select g.id, user_id from scim_groups g, scim_users",
  });
  const without = await scim.send("GET", "/Groups?excludedAttributes=members");
  assert.deepEqual(
    without.body.Resources.map(({ displayName, members }: Wire) => [displayName, members]),
    ["a", "b", "c"].map((name) => [name, undefined]),
  );
  const { body } = await scim.send("GET", "/Groups");
  assert.deepEqual([body.totalResults, body.itemsPerPage, body.Resources.length], [3, 2, 2]);
  assert.equal(body.Resources[0].members.length, 10_000);
  const rest = await scim.send("GET", "/Groups?startIndex=3");
  assert.deepEqual(
    rest.body.Resources.map(({ displayName }: Wire) => displayName),
    ["c"],
  );
});

test("property: after any changes of members and names, the admins are the members of the admin group", async (t) => {
  const { scim, admins } = await service(t);
  const names = ["ada", "bob", "eve"];
  const ids = await madeUsers(scim, ...names);
  const groups = [await madeGroup(scim, "Berth Admins"), await madeGroup(scim, "Others")];
  const model = { admin: 0, members: groups.map(() => new Set<string>()) };
  const change = fc.record({
    group: fc.nat(1),
    op: fc.constantFrom("add", "remove", "replace"),
    values: fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 }),
    swaps: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ group, op, values, swaps }) => {
      const path = "members";
      const reply = await patch(scim, groups[group].id, {
        op,
        path,
        value: values.map((value) => ({ value })),
      });
      assert.equal(reply.status, 204, reply.text);
      const members = model.members[group] ?? new Set();
      const next = {
        add: members.union(new Set(values)),
        remove: members.difference(new Set(values)),
        replace: new Set(values),
      };
      model.members[group] = next[op];
      if (swaps) {
        const [from, to] = [model.admin, 1 - model.admin];
        for (const [index, value] of [
          [from, "Free"],
          [to, "Berth Admins"],
          [from, "Others"],
        ] as const)
          assert.equal(
            (await patch(scim, groups[index].id, { op: "replace", path: "displayName", value })).status,
            204,
          );
        model.admin = to;
      }
      const expected = names.filter((_, index) => model.members[model.admin]?.has(ids[index] ?? ""));
      assert.deepEqual(await admins(), [
        ...expected.map((name) => `${name}@example.com`),
        "root@example.com",
      ]);
    }),
    { numRuns: 40 },
  );
});
