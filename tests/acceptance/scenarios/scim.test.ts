import assert from "node:assert/strict";
import { GROUP, ScimClient, USER } from "../../scim/scim-client.ts";
import { type AnyJson, Api } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { listAll } from "../harness/list-all.ts";
import { refusedSoon } from "../harness/refused-soon.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth } = await sharedService();
const ADMIN = "/api/v1/admin";
const operator = await berth.operator();

interface Provider {
  scim: ScimClient;
  /** Name of the organization. */
  org: string;
  organization: string;
  account: AnyJson;
  token: AnyJson;
}

let providers = 0;

/** Creates an organization with an identity provider. */
async function newProvider(): Promise<Provider> {
  providers += 1;
  const org = `${berth.organization}-scim${providers}`;
  const { id: organization } = await operator.ok("POST", `${ADMIN}/organizations`, { name: org });
  const account = await operator.ok("POST", `${ADMIN}/service_accounts`, {
    name: "idp",
    organization_id: organization,
  });
  const token = await operator.ok("POST", `${ADMIN}/tokens`, {
    service_account_id: account.id,
    scopes: ["scim"],
    name: "scim",
  });
  const scim = new ScimClient(`${berth.url}/scim/v2`, token.token);
  return { scim, org, organization, account, token };
}

const address = (org: string, name: string) => `${name}.${org}@example.com`;

/** Returns a client with a new token of a user. */
async function tokenOf(user: string): Promise<Api> {
  const { token } = await operator.ok("POST", `${ADMIN}/tokens`, { user_id: user });
  return new Api(berth.url, token);
}

async function roleOf(organization: string, id: string): Promise<string> {
  const users = await listAll(operator, `${ADMIN}/users?organization_id=${organization}`);
  return users.find((user) => user.id === id)?.role;
}

covers(["scim-token"], "scim: the token is good for SCIM alone, and ends with its account", async () => {
  const { scim, token, account } = await newProvider();
  await scim.expect(200, "GET", "/Users");
  const api = new Api(berth.url, token.token);
  for (const path of ["/agents", "/whoami", "/tokens/current", "/principals", `${ADMIN}/users`])
    assert.equal((await api.get(path)).status, 403, path);
  const client = await berth.client();
  const other = new ScimClient(scim.base, client.token ?? "");
  await other.expect(403, "GET", "/Users");
  await new ScimClient(scim.base, operator.token ?? "").expect(403, "GET", "/Users");
  await new ScimClient(scim.base, "none").expect(401, "GET", "/Users");
  assert.equal((await client.post("/tokens", { name: "x", scopes: ["scim"] })).status, 400);
  await operator.ok("POST", `${ADMIN}/service_accounts/${account.id}/disable`);
  assert.equal((await refusedSoon(() => scim.send("GET", "/Users"))).status, 401);
});

covers(["scim-rfc"], "scim: what the RFC says of users, groups, lists, filters and errors", async () => {
  const { scim, org } = await newProvider();
  const config = await scim.expect(200, "GET", "/ServiceProviderConfig");
  assert.deepEqual(config.schemas, ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]);
  assert.equal(config.authenticationSchemes[0].type, "oauthbearertoken");
  const types = await scim.expect(200, "GET", "/ResourceTypes");
  for (const { endpoint, schema, schemas } of types.Resources) {
    assert.deepEqual(schemas, ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"]);
    assert.equal((await scim.expect(200, "GET", `/Schemas/${schema}`)).id, schema);
    await scim.list(endpoint);
  }
  const names = ["ada", "bob", "eve"];
  const users = [];
  for (const name of names)
    users.push(
      await scim.create("/Users", {
        schemas: [USER],
        userName: name,
        externalId: `x-${name}`,
        displayName: name.toUpperCase(),
        name: { givenName: name, familyName: "Example" },
        emails: [{ value: address(org, name), type: "work", primary: true }],
        nickName: "not kept",
      }),
    );
  const [ada, bob, eve] = users;
  const group = await scim.create("/Groups", {
    schemas: [GROUP],
    displayName: "A",
    members: [{ value: ada.id }],
  });
  await scim.create("/Groups", { schemas: [GROUP], displayName: "B" });
  const found = async (filter: string) =>
    (await scim.list("/Users", { filter })).Resources.map(({ userName }: AnyJson) => userName);
  for (const [filter, expected] of [
    ['userName eq "ADA"', ["ada"]],
    ['externalId eq "x-bob"', ["bob"]],
    ['externalId eq "X-BOB"', []],
    [`emails.value eq "${address(org, "eve")}"`, ["eve"]],
    ['emails[type eq "work" and value sw "b"]', ["bob"]],
    ['displayName co "d" or userName pr and not (active eq true)', ["ada"]],
    ['userName sw "a" or userName sw "e"', ["ada", "eve"]],
    ['not (userName ew "b") and active eq true', ["ada", "eve"]],
    [`meta.lastModified ge "${bob.meta.lastModified}" and userName ne "eve"`, ["bob"]],
    [`groups.value eq "${group.id}"`, ["ada"]],
    [`id eq "${eve.id}"`, ["eve"]],
    [`${USER}:userName eq "eve"`, ["eve"]],
  ] as const)
    assert.deepEqual(await found(filter), expected, filter);
  const groups = async (filter: string) =>
    (await scim.list("/Groups", { filter })).Resources.map(({ displayName }: AnyJson) => displayName);
  assert.deepEqual(await groups(`members.value eq "${ada.id}"`), ["A"]);
  assert.deepEqual(await groups('displayName eq "b"'), ["B"]);
  const invalid = await scim.expect(400, "GET", "/Users?filter=userName");
  assert.equal(invalid.scimType, "invalidFilter");
  const page = await scim.list("/Users", { startIndex: "2", count: "1" });
  assert.deepEqual([page.totalResults, page.startIndex, page.Resources[0].id], [3, 2, bob.id]);
  assert.deepEqual((await scim.list("/Users", { count: "0" })).Resources, []);
  const projected = await scim.list("/Users", { attributes: "userName" });
  assert.deepEqual(Object.keys(projected.Resources[0]).toSorted(), ["id", "schemas", "userName"]);
  const replaced = await scim.replace(`/Users/${ada.id}`, {
    schemas: [USER],
    id: "x",
    userName: address(org, "a"),
  });
  assert.deepEqual([replaced.id, replaced.name, replaced.externalId], [ada.id, undefined, undefined]);
  const conflict = await scim.expect(409, "POST", "/Users", {
    schemas: [USER],
    userName: "BOB",
    emails: [{ value: address(org, "new") }],
  });
  assert.equal(conflict.scimType, "uniqueness");
  const nameless = await scim.expect(400, "POST", "/Users", { schemas: [USER] });
  assert.equal(nameless.scimType, "invalidValue");
  const readOnly = { schemas: [], Operations: [{ op: "replace", path: "id", value: "x" }] };
  assert.equal((await scim.expect(400, "PATCH", `/Users/${bob.id}`, readOnly)).scimType, "mutability");
  await scim.expect(404, "GET", "/Users/usr_none");
  await scim.expect(404, "GET", "/Bulk");
  await scim.remove(`/Groups/${group.id}`);
  assert.equal((await scim.read(`/Users/${ada.id}`)).groups, undefined);
  await scim.remove(`/Users/${bob.id}`);
  assert.equal((await scim.list("/Users")).totalResults, 2);
});

covers(["scim-okta"], "scim: the requests of Okta", async () => {
  const { scim, org } = await newProvider();
  const userName = address(org, "test.user");
  assert.equal((await scim.list("/Users", { startIndex: "1", count: "2" })).totalResults, 0);
  assert.equal((await scim.list("/Groups", { startIndex: "1", count: "100" })).totalResults, 0);
  const query = { filter: `userName eq "${userName}"`, startIndex: "1", count: "100" };
  assert.equal((await scim.list("/Users", query)).totalResults, 0);
  const profile = {
    schemas: [USER],
    userName,
    name: { givenName: "Test", familyName: "User" },
    emails: [{ primary: true, value: userName, type: "work" }],
    displayName: "Test User",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
  };
  const user = await scim.create("/Users", profile);
  assert.equal((await scim.list("/Users", query)).Resources[0].id, user.id);
  const another = {
    ...profile,
    id: user.id,
    name: { givenName: "Another", familyName: "User" },
    meta: user.meta,
  };
  assert.equal((await scim.replace(`/Users/${user.id}`, another)).name.givenName, "Another");
  const off = await scim.patch(`/Users/${user.id}`, { op: "replace", value: { active: false } });
  assert.equal(off.active, false);
  const on = await scim.patch(`/Users/${user.id}`, { op: "replace", value: { active: true } });
  assert.equal(on.active, true);
  const displayName = "Test SCIMv2";
  const group = await scim.create("/Groups", { schemas: [GROUP], displayName, members: [] });
  const path = `/Groups/${group.id}`;
  const renamed = await scim.patch(path, {
    op: "replace",
    value: { id: group.id, displayName: "Test SCIMv2 0" },
  });
  assert.equal(renamed.displayName, "Test SCIMv2 0");
  const member = { value: user.id, display: userName };
  assert.equal((await scim.patch(path, { op: "add", path: "members", value: [member] })).members.length, 1);
  const swapped = await scim.patch(
    path,
    { op: "remove", path: `members[value eq "${user.id}"]` },
    { op: "add", path: "members", value: [member] },
  );
  assert.deepEqual(
    swapped.members.map(({ value }: AnyJson) => value),
    [user.id],
  );
  const replaced = await scim.patch(path, { op: "replace", path: "members", value: [member] });
  assert.equal(replaced.members.length, 1);
  await scim.remove(path);
});

covers(["scim-entra"], "scim: the requests of Microsoft Entra ID, in both forms", async () => {
  const { scim, org } = await newProvider();
  const userName = address(org, "upn");
  const probe = { filter: 'userName eq "f6b2a4a1-6a41-4c1b-a1b1-0a6e0d3b6b1e"' };
  assert.equal((await scim.list("/Users", probe)).totalResults, 0);
  const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
  const user = await scim.create("/Users", {
    schemas: [USER, enterprise],
    externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
    userName,
    active: true,
    displayName: "lennay",
    emails: [{ primary: true, type: "work", value: userName }],
    meta: { resourceType: "User" },
    name: { formatted: "Adrienne McDermott", familyName: "McDermott", givenName: "Adrienne" },
    roles: [],
    [enterprise]: { department: "x", manager: { value: "y" } },
  });
  const path = `/Users/${user.id}`;
  const mail = address(org, "mail");
  const changed = await scim.patch(
    path,
    { op: "Replace", path: 'emails[type eq "work"].value', value: mail },
    { op: "Replace", path: "name.familyName", value: "Brendan" },
    { op: "Add", path: 'phoneNumbers[type eq "work"].value', value: "1" },
    { op: "Add", path: `${enterprise}:department`, value: "R" },
  );
  assert.deepEqual([changed.emails[0].value, changed.name.familyName], [mail, "Brendan"]);
  const byWork = { filter: `emails[type eq "work"].value eq "${mail}"` };
  assert.equal((await scim.list("/Users", byWork)).Resources[0].id, user.id);
  const atOnce = await scim.patch(path, {
    op: "replace",
    value: {
      displayName: "L",
      "name.givenName": "A",
      'emails[type eq "work"].value': userName,
      [`${enterprise}:x`]: "",
    },
  });
  assert.deepEqual([atOnce.displayName, atOnce.name.givenName, atOnce.emails[0].value], ["L", "A", userName]);
  for (const [value, active] of [
    ["False", false],
    ["True", true],
    [false, false],
    [true, true],
  ] as const)
    assert.equal((await scim.patch(path, { op: "Replace", path: "active", value })).active, active);
  const emptied = await scim.patch(path, { op: "Remove", path: "displayName" });
  assert.equal(emptied.displayName, undefined);
  const group = await scim.create("/Groups", {
    schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
    externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
    displayName: "displayName",
    meta: { resourceType: "Group" },
  });
  const at = `/Groups/${group.id}`;
  const without = await scim.send("GET", `${at}?excludedAttributes=members`);
  assert.deepEqual([without.status, without.body.members], [200, undefined]);
  const listed = await scim.list("/Groups", {
    excludedAttributes: "members",
    filter: 'displayName eq "displayName"',
  });
  assert.equal(listed.Resources[0].id, group.id);
  const members = async (...operations: AnyJson[]) =>
    ((await scim.patch(at, ...operations)).members ?? []).length;
  const value = [{ $ref: null, value: user.id }];
  assert.equal(await members({ op: "Add", path: "members", value }), 1);
  assert.equal(await members({ op: "Add", path: "members", value }), 1);
  assert.equal(await members({ op: "Remove", path: "members", value }), 0);
  assert.equal(await members({ op: "Add", path: "members", value }), 1);
  assert.equal(await members({ op: "Remove", path: `members[value eq "${user.id}"]` }), 0);
  assert.equal(
    (await scim.patch(at, { op: "Replace", path: "displayName", value: "new" })).displayName,
    "new",
  );
  await scim.remove(at);
  await scim.patch(path, { op: "Replace", path: "active", value: false });
  await scim.remove(path);
});

covers(
  ["scim-disable"],
  "scim: who is deactivated or deleted is rejected, and accepted when back",
  async () => {
    const { scim, org } = await newProvider();
    const user = await scim.create("/Users", { schemas: [USER], userName: address(org, "ada") });
    const api = await tokenOf(user.id);
    assert.equal((await api.get("/whoami")).status, 200);
    await scim.patch(`/Users/${user.id}`, { op: "replace", path: "active", value: false });
    assert.equal((await refusedSoon(() => api.get("/whoami"))).status, 401);
    await scim.patch(`/Users/${user.id}`, { op: "replace", path: "active", value: true });
    assert.equal((await api.get("/whoami")).status, 200);
    await scim.remove(`/Users/${user.id}`);
    assert.equal((await refusedSoon(() => api.get("/whoami"))).status, 401);
    const again = await scim.create("/Users", { schemas: [USER], userName: address(org, "ADA") });
    assert.equal(again.id, user.id);
    assert.equal((await api.get("/whoami")).status, 200);
  },
);

covers(["scim-roles"], "scim: the admin group makes admins, and the last one stays", async () => {
  const { scim, org, organization } = await newProvider();
  const set = (admin_group: string | null) =>
    operator.ok("POST", `${ADMIN}/organizations/${organization}`, { admin_group });
  assert.equal((await set("Berth Admins")).admin_group, "Berth Admins");
  const ada = await scim.create("/Users", { schemas: [USER], userName: address(org, "ada") });
  const bob = await scim.create("/Users", { schemas: [USER], userName: address(org, "bob") });
  const members = [{ value: ada.id }];
  const group = await scim.create("/Groups", { schemas: [GROUP], displayName: "berth admins", members });
  const roles = async () => [await roleOf(organization, ada.id), await roleOf(organization, bob.id)];
  assert.deepEqual(await roles(), ["admin", "member"]);
  const Operations = [{ op: "Remove", path: "members", value: members }];
  await scim.expect(409, "PATCH", `/Groups/${group.id}`, { Operations });
  await scim.expect(409, "DELETE", `/Users/${ada.id}`);
  await scim.patch(`/Groups/${group.id}`, { op: "replace", path: "members", value: [{ value: bob.id }] });
  assert.deepEqual(await roles(), ["member", "admin"]);
  await set(null);
  await scim.remove(`/Groups/${group.id}`);
  assert.deepEqual(await roles(), ["member", "admin"]);
});

covers(["scim-tenancy"], "scim: another organization's users and groups are not there", async () => {
  const [own, other] = [await newProvider(), await newProvider()];
  const userName = address(other.org, "eve");
  const user = await other.scim.create("/Users", { schemas: [USER], userName });
  const group = await other.scim.create("/Groups", {
    schemas: [GROUP],
    displayName: "G",
    members: [{ value: user.id }],
  });
  for (const path of [`/Users/${user.id}`, `/Groups/${group.id}`]) {
    await own.scim.expect(404, "GET", path);
    await own.scim.expect(404, "DELETE", path);
    await own.scim.expect(404, "PUT", path, { userName: "x@example.com", displayName: "x" });
    await own.scim.expect(404, "PATCH", path, {
      Operations: [{ op: "replace", value: { displayName: "x" } }],
    });
  }
  const taken = await own.scim.expect(409, "POST", "/Users", { schemas: [USER], userName });
  const mine = address(own.org, "ada");
  await own.scim.create("/Users", { schemas: [USER], userName: "ada", emails: [{ value: mine }] });
  const again = await own.scim.expect(409, "POST", "/Users", { schemas: [USER], userName: mine });
  assert.deepEqual(taken, again);
  const foreign = { displayName: "x", members: [{ value: user.id }] };
  await own.scim.expect(400, "POST", "/Groups", foreign);
  assert.equal((await other.scim.read(`/Users/${user.id}`)).meta.lastModified, user.meta.lastModified);
  assert.equal((await own.scim.list("/Users")).totalResults, 1);
});

covers(["scim-audit"], "scim: each change has an entry with the service account's name", async () => {
  const { scim, org, organization, account, token } = await newProvider();
  const user = await scim.create("/Users", { schemas: [USER], userName: address(org, "ada") });
  await scim.patch(`/Users/${user.id}`, { op: "replace", path: "displayName", value: "A" });
  await scim.remove(`/Users/${user.id}`);
  const entries = await listAll(
    operator,
    `${ADMIN}/audit_entries?organization_id=${organization}&operation=scim`,
  );
  assert.deepEqual(
    entries.map(({ operation, actor, actor_id, actor_type, token_id, resources }) => [
      operation,
      actor,
      actor_id,
      actor_type,
      token_id,
      resources,
    ]),
    ["delete", "patch", "create"].map((verb) => [
      `scim.users.${verb}`,
      "idp",
      account.id,
      "service_account",
      token.id,
      [user.id],
    ]),
  );
});
