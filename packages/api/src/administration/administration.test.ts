// Subject: requests of operators.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAdministration, newUuid, type Operation, operations, parseId } from "@berth/contract";
import { type Caller, callerOf, type Reply, testApp, type Wire } from "../../test-support/http.ts";
import { addHost, type Example, examples } from "../../test-support/operation-examples.ts";

const ADMIN = "/api/v1/admin";

const changing = Object.values(operations)
  .flatMap((noun): Operation[] => Object.values(noun))
  .filter((one) => isAdministration(one) && one.method !== "GET" && !one.readOnly);

/** Operations that are about one organization, so that its admins find them in their audit log. */
const OF_ORGANIZATION =
  /^admin(Organizations|Users|ServiceAccounts|Tokens|Limits|Retention|Erasures|Sessions)\.|^adminDeviceAuthorizations\.approve$/;

test("audit: every operation of the operator has one entry, with the token, what it changed and whose it is", async (t) => {
  const { operator, db } = await testApp(t);
  const caller = await operator();
  await addHost(db.write);
  const entries = async () =>
    (await db.write.query<Wire>({ text: "select * from audit_entries order by id" })).rows;
  const { rows } = await db.read.query<Wire>({ text: "select id from operator_tokens" });
  for (const operation of changing) {
    const given = (await examples[operation.id]?.(caller)) ?? assert.fail(operation.id);
    const before = await entries();
    const { status, body, text } = await ask(caller, operation, given);
    assert.equal(status, 200, `${operation.id}: ${text}`);
    const [entry, ...more] = (await entries()).slice(before.length);
    assert.deepEqual(more, [], operation.id);
    const { actor_type, actor_id, token_id, client, organization_id, resources } = entry;
    assert.deepEqual(
      [entry.operation, actor_type, actor_id, token_id, client],
      [operation.id, "operator", null, rows[0].id, "127.0.0.1"],
    );
    const about = operation.id === "adminErasures.create" ? body.subject_id : (given.ids?.[0] ?? body.id);
    assert.ok(resources.includes(about), `${operation.id}: ${resources} of ${about}`);
    assert.equal(organization_id !== null, OF_ORGANIZATION.test(operation.id), operation.id);
  }
});

test("operator token: rejected from the request on that follows its revocation, with those that it created", async (t) => {
  const { app, operator } = await testApp(t);
  const [root, observer] = [await operator(), await operator()];
  const made = await root.made(`${ADMIN}/operator_tokens`, { name: "child" });
  const child = callerOf(app, made.token);
  const grandchild = callerOf(app, (await child.made(`${ADMIN}/operator_tokens`, { name: "its" })).token);
  assert.equal((await grandchild.get(`${ADMIN}/hosts`)).status, 200);
  const [listed] = (await observer.get(`${ADMIN}/operator_tokens?limit=1`)).body.data;
  assert.deepEqual([listed.name, listed.parent_id, "token" in listed], ["its", made.id, false]);
  const revoked = await observer.delete(`${ADMIN}/operator_tokens/${made.id}`);
  assert.deepEqual(revoked.body.revoked_descendants, [listed.id]);
  for (const caller of [child, grandchild]) {
    const { status, body } = await caller.get(`${ADMIN}/hosts`);
    assert.deepEqual([status, body.error.message], [401, "The token was revoked."]);
  }
  assert.equal((await root.get(`${ADMIN}/hosts`)).status, 200);
});

test("operator token: does not outlive the one that creates it, and its last use is listed", async (t) => {
  const { app, operator, db } = await testApp(t);
  const root = await operator();
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const made = await root.made(`${ADMIN}/operator_tokens`, { name: "child", expires_at: soon });
  assert.equal(made.expires_at, soon);
  const child = callerOf(app, made.token);
  assert.equal((await child.made(`${ADMIN}/operator_tokens`, { name: "same" })).expires_at, soon);
  const later = new Date(Date.now() + 7_200_000).toISOString();
  for (const [expires_at, caller] of [
    [later, child],
    ["2020-01-01T00:00:00.000Z", root],
  ] as const) {
    const { status, body } = await caller.post(`${ADMIN}/operator_tokens`, { name: "x", expires_at });
    assert.deepEqual([status, body.error.param], [400, "expires_at"]);
  }
  const used = (await root.get(`${ADMIN}/operator_tokens`)).body.data.find(({ id }: Wire) => id === made.id);
  assert.equal(typeof used.last_used_at, "string");
  await db.write.query({ text: "update operator_tokens set expires_at = now() where parent_id is not null" });
  assert.equal((await child.get(`${ADMIN}/hosts`)).body.error.message, "The token has expired.");
});

test("operator token: what is unknown, malformed or no bearer token → 401, and its requests are limited like a user's", async (t) => {
  const limits = { organization: {}, user: { requests_per_second: 0.001, request_burst: 2 } };
  const { app, operator } = await testApp(t, { limits });
  const caller = await operator();
  for (const headers of [
    { authorization: `${caller.token.slice(0, -1)}_` },
    { authorization: `Bearer ${caller.token}x` },
    { authorization: "", "x-api-key": caller.token },
    { authorization: "", cookie: `berth_console=${caller.token}` },
  ])
    assert.equal((await app.fastify.inject({ url: `${ADMIN}/hosts`, headers })).statusCode, 401);
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await caller.get(`${ADMIN}/hosts`)).status);
  assert.deepEqual(statuses, [200, 200, 429]);
});

test("errors: names that are taken, what is not there, and bodies that are wrong", async (t) => {
  const { operator } = await testApp(t);
  const caller = await operator();
  const organization = await caller.made(`${ADMIN}/organizations`, { name: "acme" });
  const organization_id = organization.id;
  const user = await caller.made(`${ADMIN}/users`, { email: "ada@example.com", organization_id });
  await caller.made(`${ADMIN}/service_accounts`, { name: "ci", organization_id });
  const absent = (id: string) => id.replace(/_.*/, `_01zzzzzzzzzzzzzzzzzzzzzzzz`);
  const noOne = absent(user.id);
  const nowhere = absent(organization_id);
  for (const [status, path, body] of [
    [409, "/organizations", { name: "acme" }],
    [409, "/users", { email: "ada@example.com", organization_id }],
    [409, "/service_accounts", { name: "ci", organization_id }],
    [404, "/users", { email: "bob@example.com", organization_id: nowhere }],
    [404, "/service_accounts", { name: "ci", organization_id: nowhere }],
    [404, `/organizations/${nowhere}`, { name: "x" }],
    [404, "/organizations/acme", { name: "x" }],
    [404, `/users/${noOne}`, { role: "admin" }],
    [404, "/users/ada@example.com/disable", undefined],
    [404, `/users/${noOne}/enable`, undefined],
    [404, `/service_accounts/${absent("svc_x")}/disable`, undefined],
    [404, "/tokens", { user_id: noOne }],
    [404, "/tokens", { service_account_id: absent("svc_x") }],
    [404, `/limits/${noOne}`, { open_sessions: 1 }],
    [404, "/limits/acme", { open_sessions: 1 }],
    [404, `/retention/${nowhere}`, { files: 1 }],
    [404, "/erasures", { user_id: noOne }],
    [404, "/device_authorizations/approve", { user_code: "AAAA-AAAA", user_id: user.id }],
    [404, "/device_authorizations/lookup", { user_code: "AAAA-AAAA" }],
    [404, "/hosts/none/drain", undefined],
    [404, "/hosts/none/resume", undefined],
    [404, "/hosts/none/forget", {}],
    [400, "/organizations", { name: "" }],
    [400, "/users", { email: "ada", organization_id }],
    [400, "/users", { email: "bob@example.com", organization_id, role: "boss" }],
    [400, "/tokens", {}],
    [400, "/tokens", { user_id: user.id, service_account_id: absent("svc_x") }],
    [400, "/tokens", { user_id: user.id, scopes: ["operator"] }],
    [400, "/tokens", { user_id: user.id, expires_at: "2020-01-01T00:00:00.000Z" }],
    [400, `/limits/${user.id}`, { running_turns: 0 }],
    [400, `/limits/${user.id}`, { open_sessions: "many" }],
    [400, `/limits/${user.id}`, { turns: 1 }],
    [400, `/retention/${organization_id}`, { files: 0 }],
    [400, "/erasures", {}],
    [400, "/hosts/none/forget", { force: "yes" }],
  ] as const) {
    const reply = await caller.post(`${ADMIN}${path}`, body);
    assert.equal(reply.status, status, `${path} ${JSON.stringify(body)}: ${reply.text}`);
    assert.doesNotMatch(reply.body.error.message, /--|'berth /, "the API does not speak of commands");
  }
  for (const path of ["/erasures/x", `/limits/${noOne}`, `/retention/${nowhere}`, "/organizations?nam=x"])
    assert.equal((await caller.get(`${ADMIN}${path}`)).status, path.includes("?") ? 400 : 404, path);
  assert.equal((await caller.delete(`${ADMIN}/operator_tokens/${absent("optok_x")}`)).status, 404);
});

test("disabled users and service accounts: their tokens are rejected, and none is made of them", async (t) => {
  const { app, operator, caller } = await testApp(t);
  const admin = await operator();
  const member = await caller({ email: "ada@example.com", org: "acme" });
  const robot = await caller({ email: "ci", org: "acme", kind: "sat" });
  const [organization] = (await admin.get(`${ADMIN}/organizations?name=acme`)).body.data;
  const of = `organization_id=${organization.id}`;
  const [user] = (await admin.get(`${ADMIN}/users?${of}&email=ada@example.com`)).body.data;
  const [account] = (await admin.get(`${ADMIN}/service_accounts?${of}&name=ci`)).body.data;
  for (const [who, path, token] of [
    [member, `users/${user.id}`, { user_id: user.id }],
    [robot, `service_accounts/${account.id}`, { service_account_id: account.id }],
  ] as const) {
    assert.equal((await who.get("/agents")).status, 200);
    assert.equal(typeof (await admin.made(`${ADMIN}/${path}/disable`, undefined)).disabled_at, "string");
    assert.equal((await who.get("/agents")).status, 401);
    assert.equal((await admin.post(`${ADMIN}/tokens`, token)).status, 409);
    assert.equal((await admin.made(`${ADMIN}/${path}/enable`, undefined)).disabled_at, null);
    const { token: secret } = await admin.made(`${ADMIN}/tokens`, { ...token, scopes: ["agents:read"] });
    const reader = callerOf(app, secret);
    assert.deepEqual([(await reader.get("/agents")).status, (await reader.get("/files")).status], [200, 403]);
  }
});

test("an erasure and a change of role count from the next request on", async (t) => {
  const { operator, caller } = await testApp(t);
  const admin = await operator();
  const member = await caller({ email: "ada@example.com" });
  const [user] = (await admin.get(`${ADMIN}/users?email=ada@example.com`)).body.data;
  assert.equal((await member.get("/whoami")).body.role, "member");
  await admin.made(`${ADMIN}/users/${user.id}`, { role: "admin" });
  assert.equal((await member.get("/whoami")).body.role, "admin");
  await admin.made(`${ADMIN}/erasures`, { user_id: user.id });
  assert.equal((await member.get("/whoami")).status, 401);
});

test("limits and retention: an omitted value is kept, 'none' is none, and null is that of the settings", async (t) => {
  const limits = { organization: { open_sessions: 7 }, user: {} };
  const { operator } = await testApp(t, { limits, retention: { files: 30 } });
  const caller = await operator();
  const { id } = await caller.made(`${ADMIN}/organizations`, { name: "acme" });
  const limitsOf = ({ data }: Wire) =>
    Object.fromEntries(data.map(({ name, value, from }: Wire) => [name, [value, from]]));
  const changed = await caller.made(`${ADMIN}/limits/${id}`, { open_sessions: "none", disk_bytes: 5 });
  assert.deepEqual(
    [limitsOf(changed).open_sessions, limitsOf(changed).disk_bytes],
    [
      [null, "own"],
      [5, "own"],
    ],
  );
  await caller.made(`${ADMIN}/limits/${id}`, { open_sessions: null });
  const now = limitsOf((await caller.get(`${ADMIN}/limits/${id}`)).body);
  assert.deepEqual(
    [now.open_sessions, now.disk_bytes],
    [
      [7, "settings"],
      [5, "own"],
    ],
  );
  const daysOf = ({ data }: Wire) => data.map(({ name, days, from }: Wire) => [name, days, from]);
  await caller.made(`${ADMIN}/retention/${id}`, { files: "none", events: 9 });
  assert.deepEqual(daysOf((await caller.get(`${ADMIN}/retention/${id}`)).body), [
    ["sessions", null, null],
    ["events", 9, "own"],
    ["files", null, "own"],
  ]);
  const back = await caller.made(`${ADMIN}/retention/${id}`, { files: null });
  assert.deepEqual(daysOf(back)[2], ["files", 30, "settings"]);
});

test("audit entries: pages and filters, and a cursor of another filter or operator → 400", async (t) => {
  const { operator } = await testApp(t);
  const [caller, other] = [await operator(), await operator()];
  const acme = await caller.made(`${ADMIN}/organizations`, { name: "acme" });
  for (let n = 0; n < 4; n++)
    await caller.made(`${ADMIN}/users`, { email: `${n}@example.com`, organization_id: acme.id });
  await caller.made(`${ADMIN}/organizations`, { name: "other" });
  const list = async (query: string, who: Caller = caller) =>
    await who.get(`${ADMIN}/audit_entries?${query}`);
  const seen: string[] = [];
  for (let query: string | null = `limit=2&organization_id=${acme.id}`; query !== null; ) {
    const { body } = await list(query);
    seen.push(...body.data.map(({ operation }: Wire) => operation));
    query = body.next_page === null ? null : `organization_id=${acme.id}&page=${body.next_page}`;
  }
  assert.deepEqual(seen, [...Array(4).fill("adminUsers.create"), "adminOrganizations.create"]);
  const { next_page: page } = (await list("limit=2")).body;
  assert.equal((await list(`page=${page}&operation=adminUsers`)).body.error.param, "page");
  assert.equal((await list(`page=${page}`, other)).body.error.param, "page");
  const [entry] = (await list(`resource=${acme.id}`)).body.data;
  assert.deepEqual([entry.organization, entry.actor, entry.actor_type], ["acme", "operator", "operator"]);
  assert.notEqual(parseId("operator_token", entry.token_id), null);
  for (const none of ["operation=agents", `resource=${newUuid()}`, "created_at[lt]=2020-01-01T00:00:00.000Z"])
    assert.deepEqual((await list(none)).body.data, [], none);
});

test("hosts: what they do and carry, and the names of settings that differ", async (t) => {
  const { operator, db } = await testApp(t, { hostId: "own" });
  const caller = await operator();
  await addHost(db.write);
  await db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role)
      values ('own', 'local:own', '0.1.0', '{"BERTH_A": "one", "BERTH_B": "same"}', 8, 'mine', 'all')`,
  });
  await db.write.query({
    text: `update hosts set settings = '{"BERTH_A": "two", "BERTH_B": "same"}' where id <> 'own'`,
  });
  const { data } = (await caller.get(`${ADMIN}/hosts`)).body;
  const first = (await caller.get(`${ADMIN}/hosts?limit=1`)).body;
  const second = (await caller.get(`${ADMIN}/hosts?limit=1&page=${first.next_page}`)).body;
  assert.deepEqual(
    [...first.data, ...second.data].map(({ id }) => id),
    data.map(({ id }: Wire) => id),
  );
  assert.deepEqual([first.has_more, second.has_more, second.next_page], [true, false, null]);
  const [other, own] = data;
  assert.deepEqual([own.id, own.other_settings, own.role, own.running_sessions], ["own", [], "all", 0]);
  assert.deepEqual(
    [other.other_settings, other.capacity, other.draining, other.version, other.place],
    [["BERTH_A"], 4, false, "0.1.0", `local:${other.id}`],
  );
  assert.doesNotMatch(JSON.stringify(data), /"two"|"one"|"same"/);
  for (const path of ["hosts/none/drain", "hosts/%C3%A9%00/resume", "hosts/%00/forget"])
    assert.equal((await caller.post(`${ADMIN}/${path}`, {})).status, 404, path);
  for (const path of ["users?email=%00", "organizations?name=%00", "audit_entries?resource=%00"])
    assert.ok((await caller.get(`${ADMIN}/${path}`)).status < 500, path);
  const refused = await caller.post(`${ADMIN}/hosts/own/forget`, {});
  assert.deepEqual([refused.status, refused.body.error.type], [409, "conflict_error"]);
  assert.equal((await caller.made(`${ADMIN}/hosts/own/forget`, { force: true })).sessions, 0);
});

function ask(caller: Caller, { method, path }: Operation, { ids = [], body }: Example): Promise<Reply> {
  const left = [...ids];
  const filled = path.replaceAll(/\{\w+\}/g, () => left.shift() ?? "absent");
  return method === "DELETE" ? caller.delete(filled) : caller.post(filled, body);
}
