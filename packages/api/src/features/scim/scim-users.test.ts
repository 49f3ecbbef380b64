// Subject: users by SCIM.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseId } from "@berth/contract";
import { callerOf, testApp, type Wire } from "../../../test-support/http.ts";
import { type Scim, scimOf } from "../../../test-support/scim.ts";
import { signInWithAccount } from "../console/oidc/sign-in-with-account.ts";

async function service(t: TestContext) {
  const app = await testApp(t);
  const operator = await app.operator();
  const scim = await scimOf(app, "acme");
  const find = async (email: string): Promise<Wire> =>
    (await operator.get(`/api/v1/admin/users?email=${encodeURIComponent(email)}`)).body.data[0];
  return { ...app, operator, scim, find };
}

async function made(scim: Scim, user: object): Promise<Wire> {
  const { status, body, text } = await scim.send("POST", "/Users", user);
  assert.equal(status, 201, text);
  return body;
}

const patch = (scim: Scim, id: string, ...Operations: object[]) =>
  scim.send("PATCH", `/Users/${id}`, { Operations });

test("a user is created with what the identity provider says, and returned so", async (t) => {
  const { scim, find } = await service(t);
  const given = {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:x:unknown"],
    externalId: "00u1",
    USERNAME: "ada",
    name: { givenName: "Ada", familyName: "King" },
    displayName: "Ada King",
    emails: [
      { value: "home@example.com", type: "home" },
      { value: "ada@example.com", type: "work", primary: "True" },
    ],
    password: "ignored",
    roles: [],
  };
  const { status, body, headers } = await scim.send("POST", "/Users", given);
  assert.equal(status, 201);
  assert.equal(headers["content-type"], "application/scim+json; charset=utf-8");
  assert.equal(headers.location, `http://localhost/scim/v2/Users/${body.id}`);
  const { id, meta, ...rest } = body;
  assert.deepEqual(rest, {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    externalId: "00u1",
    userName: "ada",
    name: { givenName: "Ada", familyName: "King" },
    displayName: "Ada King",
    emails: [
      { value: "home@example.com", type: "home" },
      { value: "ada@example.com", type: "work", primary: true },
    ],
    active: true,
  });
  assert.equal(meta.location, headers.location);
  assert.ok(meta.lastModified >= meta.created);
  assert.deepEqual((await scim.send("GET", `/Users/${id}`)).body, body);
  const user = await find("ada@example.com");
  assert.deepEqual([user.id, user.organization, user.role, user.disabled_at], [id, "acme", "member", null]);
});

test("a deactivated user's tokens are rejected from the next request on, and accepted once activated", async (t) => {
  const { app, scim, caller } = await service(t);
  const ada = await made(scim, { userName: "ada@example.com" });
  await made(scim, { userName: "bob@example.com" });
  const token = await caller({ email: "ada@example.com", org: "acme" });
  assert.equal((await token.get("/whoami")).status, 200);
  for (const [value, status] of [
    ["False", 401],
    [true, 200],
  ] as const) {
    const { body } = await patch(scim, ada.id, { op: "Replace", path: "active", value });
    assert.equal(body.active, status === 200);
    assert.equal((await callerOf(app, token.token).get("/whoami")).status, status);
  }
  const replaced = await scim.send("PUT", `/Users/${ada.id}`, { userName: "ada@example.com", active: false });
  assert.equal(replaced.body.active, false);
  assert.equal((await token.get("/whoami")).status, 401);
});

test("who was disabled by an administrator is not enabled by a repeated active: true", async (t) => {
  const { operator, scim } = await service(t);
  const { id } = await made(scim, { userName: "ada@example.com" });
  await operator.post(`/api/v1/admin/users/${id}/disable`);
  const full = { userName: "ada@example.com", displayName: "Ada", active: true };
  assert.equal((await scim.send("PUT", `/Users/${id}`, full)).body.active, false);
  assert.equal(
    (await patch(scim, id, { op: "replace", path: "displayName", value: "A" })).body.active,
    false,
  );
  await operator.post(`/api/v1/admin/users/${id}/enable`);
  assert.equal((await scim.send("PUT", `/Users/${id}`, full)).body.active, true);
  assert.equal((await scim.send("PUT", `/Users/${id}`, { ...full, active: false })).body.active, false);
  assert.equal((await scim.send("PUT", `/Users/${id}`, full)).body.active, true);
});

test("PUT replaces: what is not given has no value, but active stays", async (t) => {
  const { scim } = await service(t);
  const { id } = await made(scim, {
    userName: "ada@example.com",
    externalId: "x",
    displayName: "Ada",
    name: { givenName: "Ada" },
    active: false,
  });
  const { body } = await scim.send("PUT", `/Users/${id}`, { userName: "Ada@example.com" });
  assert.deepEqual(
    [body.userName, body.externalId, body.displayName, body.name, body.active],
    ["Ada@example.com", undefined, undefined, undefined, false],
  );
});

test("the address is the primary email, else the first, else the user name; it can change", async (t) => {
  const { scim, find } = await service(t);
  const { id } = await made(scim, { userName: "ada@example.com" });
  assert.equal((await find("ada@example.com")).id, id);
  await patch(scim, id, { op: "replace", path: "userName", value: "ada@new.example" });
  assert.equal((await find("ada@new.example")).id, id);
  await patch(scim, id, { op: "Replace", path: 'emails[type eq "work"].value', value: "ada@work.example" });
  assert.equal((await find("ada@work.example")).id, id);
  await patch(scim, id, { op: "add", path: "emails", value: [{ value: "ada@main.example", primary: true }] });
  assert.equal((await find("ada@main.example")).id, id);
  for (const user of [
    { userName: "ada" },
    { userName: "ada@example.com", emails: [{ value: "no address" }] },
    {
      userName: "ada@example.com",
      emails: ["a", "b"].map((name) => ({ value: `${name}@x`, primary: true })),
    },
    { userName: `${"x".repeat(400)}@example.com` },
    { userName: "" },
    {},
  ]) {
    const { status, body } = await scim.send("POST", "/Users", user);
    assert.deepEqual([status, body.scimType], [400, "invalidValue"], JSON.stringify(user));
  }
});

test("user names and addresses are unique in any case, also against other organizations", async (t) => {
  const { app, db, scim } = await service(t);
  const other = await scimOf({ app, db }, "other");
  await made(scim, { userName: "ada", emails: [{ value: "ada@example.com" }] });
  const bob = await made(scim, { userName: "bob", emails: [{ value: "bob@example.com" }] });
  const conflict = async (reply: ReturnType<Scim["send"]>) => {
    const { status, body } = await reply;
    assert.deepEqual([status, body.scimType, body.status], [409, "uniqueness", "409"]);
    return body.detail;
  };
  await conflict(scim.send("POST", "/Users", { userName: "ADA", emails: [{ value: "new@example.com" }] }));
  const own = await conflict(
    scim.send("POST", "/Users", { userName: "new", emails: [{ value: "ADA@example.com" }] }),
  );
  await conflict(patch(scim, bob.id, { op: "replace", path: "userName", value: "Ada" }));
  await conflict(
    scim.send("PUT", `/Users/${bob.id}`, { userName: "bob", emails: [{ value: "ada@example.com" }] }),
  );
  assert.deepEqual((await scim.send("GET", `/Users/${bob.id}`)).body, bob);
  const foreign = await conflict(other.send("POST", "/Users", { userName: "Ada@example.com" }));
  assert.equal(foreign, own);
  const { body } = await other.send("POST", "/Users", {
    userName: "ada",
    emails: [{ value: "ada@other.example" }],
  });
  assert.equal(body.userName, "ada");
});

test("of two creations of one user at once, one is 201 and the other 409", async (t) => {
  const { scim } = await service(t);
  for (let round = 0; round < 5; round += 1) {
    const user = { userName: `ada${round}@example.com` };
    const replies = await Promise.all([1, 2, 3].map(() => scim.send("POST", "/Users", user)));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409]);
  }
  assert.equal((await scim.send("GET", "/Users")).body.totalResults, 5);
});

test("a deleted user is disabled and 404, and there again when created again", async (t) => {
  const { scim, find, caller } = await service(t);
  const ada = await made(scim, { userName: "ada@example.com", externalId: "1" });
  const token = await caller({ email: "ada@example.com", org: "acme" });
  const { status, text } = await scim.send("DELETE", `/Users/${ada.id}`);
  assert.deepEqual([status, text], [204, ""]);
  assert.equal((await token.get("/whoami")).status, 401);
  for (const reply of [
    scim.send("GET", `/Users/${ada.id}`),
    scim.send("DELETE", `/Users/${ada.id}`),
    scim.send("PUT", `/Users/${ada.id}`, { userName: "x@example.com" }),
    patch(scim, ada.id, { op: "replace", path: "active", value: true }),
  ]) {
    const { status, body } = await reply;
    assert.deepEqual([status, body.status, body.scimType], [404, "404", undefined]);
  }
  assert.equal(
    (await scim.send("GET", '/Users?filter=userName%20eq%20"ada@example.com"')).body.totalResults,
    0,
  );
  assert.notEqual((await find("ada@example.com")).disabled_at, null);
  const again = await made(scim, { userName: "Ada@example.com", externalId: "2" });
  assert.deepEqual([again.id, again.externalId, again.active], [ada.id, "2", true]);
  assert.equal((await token.get("/whoami")).status, 200);
});

test("users who were there before are shown, and taken over by the first change", async (t) => {
  const { operator, scim } = await service(t);
  const user = await operator.made("/api/v1/admin/users", {
    email: "ada@example.com",
    organization_id: (await operator.get("/api/v1/admin/organizations?name=acme")).body.data[0].id,
  });
  const { body } = await scim.send("GET", '/Users?filter=userName%20eq%20"Ada@example.com"');
  assert.deepEqual(
    body.Resources.map(({ id, userName, emails }: Wire) => [id, userName, emails[0].value]),
    [[user.id, "ada@example.com", "ada@example.com"]],
  );
  const conflict = await scim.send("POST", "/Users", { userName: "ada@example.com" });
  assert.equal(conflict.body.scimType, "uniqueness");
  const changed = await patch(scim, user.id, { op: "add", path: "externalId", value: "00u1" });
  assert.equal(changed.body.externalId, "00u1");
});

test("the only enabled admin is neither deactivated nor deleted", async (t) => {
  const { operator, scim } = await service(t);
  const ada = await made(scim, { userName: "ada@example.com" });
  const bob = await made(scim, { userName: "bob@example.com" });
  await operator.made(`/api/v1/admin/users/${ada.id}`, { role: "admin" });
  for (const reply of [
    patch(scim, ada.id, { op: "replace", path: "active", value: false }),
    scim.send("PUT", `/Users/${ada.id}`, { userName: "ada@example.com", active: false }),
    scim.send("DELETE", `/Users/${ada.id}`),
  ]) {
    const { status, body } = await reply;
    assert.deepEqual([status, body.status], [409, "409"]);
    assert.match(body.detail, /^'ada@example\.com' is the only admin of the organization\./);
  }
  assert.equal((await scim.send("GET", `/Users/${ada.id}`)).body.active, true);
  await operator.made(`/api/v1/admin/users/${bob.id}`, { role: "admin" });
  const both = await Promise.all([ada, bob].map(({ id }) => scim.send("DELETE", `/Users/${id}`)));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [204, 409]);
});

test("who is being erased is not activated, and nobody is added to an organization that is", async (t) => {
  const { scim, db } = await service(t);
  const { id } = await made(scim, { userName: "ada@example.com", active: false });
  const erase = (subject: string, type: string) =>
    db.write.query({
      text: "insert into erasures (id, subject_type, subject_id, organization_id) values (gen_random_uuid(), $2, $1, $3)",
      values: [subject, type, scim.organizationId],
    });
  await erase(parseId("user", id) ?? "", "user");
  assert.equal((await patch(scim, id, { op: "replace", path: "active", value: true })).status, 409);
  await erase(scim.organizationId, "organization");
  assert.equal((await scim.send("POST", "/Users", { userName: "new@example.com" })).status, 409);
});

test("a request whose patch fails in the middle changes nothing", async (t) => {
  const { scim } = await service(t);
  const ada = await made(scim, { userName: "ada@example.com" });
  await made(scim, { userName: "bob@example.com" });
  const { status } = await patch(
    scim,
    ada.id,
    { op: "replace", path: "displayName", value: "changed" },
    { op: "replace", path: "userName", value: "bob@example.com" },
  );
  assert.equal(status, 409);
  assert.deepEqual((await scim.send("GET", `/Users/${ada.id}`)).body, ada);
});

test("lists: pages from 1, a count, and no resources for a count of 0", async (t) => {
  const { scim } = await service(t);
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1)
    ids.push((await made(scim, { userName: `u${index}@example.com` })).id);
  const list = async (query: string) => {
    const { status, body } = await scim.send("GET", `/Users${query}`);
    assert.equal(status, 200);
    const { totalResults, startIndex, itemsPerPage, Resources } = body;
    return [totalResults, startIndex, itemsPerPage, Resources.map(({ id }: Wire) => ids.indexOf(id))];
  };
  assert.deepEqual(await list(""), [5, 1, 5, [0, 1, 2, 3, 4]]);
  assert.deepEqual(await list("?startIndex=2&count=2&aadOptscim062020"), [5, 2, 2, [1, 2]]);
  assert.deepEqual(await list("?startIndex=5&count=9999"), [5, 5, 1, [4]]);
  assert.deepEqual(await list("?startIndex=0&count=1"), [5, 1, 1, [0]]);
  assert.deepEqual(await list("?startIndex=6"), [5, 6, 0, []]);
  assert.deepEqual(await list("?count=0"), [5, 1, 0, []]);
  assert.deepEqual(await list("?count=-3"), [5, 1, 0, []]);
  const { status, body } = await scim.send("GET", "/Users?count=many");
  assert.deepEqual([status, body.scimType], [400, "invalidValue"]);
});

test("attributes and excludedAttributes choose what is returned; schemas and id are always", async (t) => {
  const { scim } = await service(t);
  const user = {
    userName: "ada@example.com",
    name: { givenName: "Ada", familyName: "King" },
    displayName: "Ada",
  };
  const { id } = await made(scim, user);
  const keys = async (query: string) =>
    Object.keys((await scim.send("GET", `/Users/${id}?${query}`)).body).toSorted();
  assert.deepEqual(await keys("attributes=userName,NAME.givenName"), ["id", "name", "schemas", "userName"]);
  const { name } = (await scim.send("GET", `/Users/${id}?attributes=name.givenName`)).body;
  assert.deepEqual(name, { givenName: "Ada" });
  assert.deepEqual(await keys("attributes=urn:ietf:params:scim:schemas:core:2.0:User:userName"), [
    "id",
    "schemas",
    "userName",
  ]);
  assert.deepEqual(await keys("excludedAttributes=emails,meta,id,name,active"), [
    "displayName",
    "id",
    "schemas",
    "userName",
  ]);
  const { headers, body } = await scim.send("POST", "/Users?attributes=id", { userName: "bob@example.com" });
  assert.deepEqual(Object.keys(body).toSorted(), ["id", "schemas"]);
  assert.ok(`${headers.location}`.endsWith(body.id));
});

test("a sign-in with OpenID Connect finds the user of SCIM by the address, and keeps the role of the groups", async (t) => {
  const { operator, scim, db, find } = await service(t);
  const ada = await made(scim, { userName: "ada", emails: [{ value: "Ada@Example.com" }] });
  await made(scim, { userName: "gone@example.com", active: false });
  const organization = (await operator.get("/api/v1/admin/organizations?name=acme")).body.data[0].id;
  const signIn = (email: string, role: "admin" | "member") =>
    db.transaction((tx) =>
      signInWithAccount(
        tx,
        {
          operation: { id: "console.oidc" } as never,
          requestId: "1",
          client: "127.0.0.1",
          userAgent: null,
        },
        { issuer: "https://idp.example", subject: email, email, membership: { organization: "acme", role } },
      ),
    );
  await signIn("ada@example.com", "admin");
  const role = async () => {
    const user = await find("Ada@Example.com");
    assert.equal(user.id, ada.id);
    return user.role;
  };
  assert.equal(await role(), "admin");
  await signIn("root@example.com", "admin");
  await operator.made(`/api/v1/admin/organizations/${organization}`, { admin_group: "Admins" });
  assert.equal(await role(), "member");
  await signIn("ada@example.com", "admin");
  assert.equal(await role(), "member");
  await signIn("root@example.com", "member");
  assert.equal((await find("root@example.com")).role, "member");
  await assert.rejects(signIn("gone@example.com", "member"), /disabled/);
});

test("10,000 users: a list, and a search for one, are answered in a bounded time", async (t) => {
  const { scim, db } = await service(t);
  await db.write.query({
    text: `with made as (insert into users (id, organization_id, email, role)
        select ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'u' || n || '@example.com', 'member'
        from generate_series(1, 10000) as n returning id, email)
      insert into scim_users (user_id, organization_id, user_name, external_id, active)
      select id, $1, email, 'x' || email, true from made`,
    values: [scim.organizationId],
  });
  await db.write.query({ text: "analyze users, scim_users" });
  const milliseconds = async (query: string, total: number) => {
    const began = performance.now();
    const { body } = await scim.send("GET", `/Users?${query}`);
    assert.equal(body.totalResults, total, query);
    return performance.now() - began;
  };
  const filtered = (filter: string) => new URLSearchParams({ filter }).toString();
  await milliseconds("count=1", 10_000);
  const worst = [
    await milliseconds("startIndex=9901&count=100", 10_000),
    await milliseconds(filtered('userName eq "U77@example.com"'), 1),
    await milliseconds(filtered('externalId eq "xu78@example.com"'), 1),
    await milliseconds(filtered('emails.value ew "79@example.com" and not (displayName pr)'), 100),
  ];
  for (const each of worst) assert.ok(each < 5_000, `${worst}`);
  const { rows } = await db.read.query<{ "QUERY PLAN": string }>({
    text: `explain select u.id from users u left join scim_users s on s.user_id = u.id
      where u.organization_id = '${scim.organizationId}' and s.deleted_at is null and u.id in (
        select user_id from scim_users where organization_id = '${scim.organizationId}'
          and lower(user_name collate "C") = lower('x'::text collate "C"))`,
  });
  assert.doesNotMatch(rows.map((row) => row["QUERY PLAN"]).join("\n"), /Seq Scan/);
});
