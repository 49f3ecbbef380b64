// Subject: who may use SCIM, and the shape of its errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, operations } from "@berth/contract";
import { callerOf, testApp, type Wire } from "../../../test-support/http.ts";
import { type Scim, scimOf } from "../../../test-support/scim.ts";

const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

test("a token of SCIM is good for SCIM alone, and no other token for SCIM", async (t) => {
  const service = await testApp(t);
  const scim = await scimOf(service, "acme");
  assert.equal((await scim.send("GET", "/Users")).status, 200);
  for (const noun of Object.values(operations))
    for (const { method, path, credential } of Object.values(noun)) {
      if (credential === "none") continue;
      const url = path.replaceAll(/\{\w+\}/g, formatId("token", scim.tokenId));
      const { statusCode, payload } = await service.app.fastify.inject({
        method: method as "GET",
        url,
        headers: { authorization: `Bearer ${scim.token}` },
      });
      assert.equal(statusCode, 403, `${method} ${url}: ${payload}`);
    }
  const others = [await service.caller(), await service.caller({ kind: "sat" }), await service.operator()];
  for (const { token } of others) {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await scim.send("GET", "/Users", undefined, headers);
    assert.deepEqual([status, body.schemas, body.status], [403, [ERROR], "403"]);
  }
});

test("without a valid token it is 401 with a challenge; a revoked one counts from the next request on", async (t) => {
  const service = await testApp(t);
  const scim = await scimOf(service, "acme");
  for (const authorization of ["", "Bearer x", "Basic eA==", `Bearer ${scim.token}x`]) {
    const { status, headers, body } = await scim.send("GET", "/Users", undefined, { authorization });
    assert.deepEqual([status, headers["www-authenticate"], body.schemas], [401, "Bearer", [ERROR]]);
  }
  const admin = await service.caller({ org: "acme", role: "admin" });
  assert.equal((await admin.delete(`/tokens/${formatId("token", scim.tokenId)}`)).status, 200);
  assert.equal((await scim.send("GET", "/Users")).status, 401);
  const other = await scimOf(service, "acme");
  const operator = await service.operator();
  const account = formatId("service_account", other.accountId);
  await operator.made(`/api/v1/admin/service_accounts/${account}/disable`, undefined);
  assert.equal((await other.send("GET", "/Users")).status, 401);
});

test("administration alone gives the scope, alone and to a service account", async (t) => {
  const { operator: newOperator, caller, app } = await testApp(t);
  const operator = await newOperator();
  const admin = await caller({ org: "acme", role: "admin" });
  const [{ id: organization_id }] = (await operator.get("/api/v1/admin/organizations?name=acme")).body.data;
  const account = await operator.made("/api/v1/admin/service_accounts", { name: "okta", organization_id });
  const [user] = (await operator.get("/api/v1/admin/users")).body.data;
  for (const body of [
    { service_account_id: account.id, scopes: ["scim", "*"] },
    { user_id: user.id, scopes: ["scim"] },
  ]) {
    const { status, body: rejected } = await operator.post("/api/v1/admin/tokens", body);
    assert.deepEqual([status, rejected.error.param], [400, "scopes"]);
  }
  const self = await admin.post("/tokens", { kind: "sat", name: "okta", scopes: ["scim"] });
  assert.equal(self.status, 400);
  const made = await operator.made("/api/v1/admin/tokens", {
    service_account_id: account.id,
    scopes: ["scim"],
  });
  const { statusCode } = await app.fastify.inject({
    url: "/scim/v2/Users",
    headers: { authorization: `Bearer ${made.token}` },
  });
  assert.equal(statusCode, 200);
  const byAdmin = await admin.made("/api/v1/admin/tokens", {
    service_account_id: account.id,
    scopes: ["scim"],
    independent: true,
  });
  assert.deepEqual([byAdmin.scopes, byAdmin.independent], [["scim"], true]);
  const narrow = await admin.made("/tokens", { name: "narrow", scopes: ["admin:read"] });
  const refused = await callerOf(app, narrow.token).post("/api/v1/admin/tokens", {
    service_account_id: account.id,
    scopes: ["scim"],
  });
  assert.equal(refused.status, 403);
  const listed = (await admin.get("/tokens")).body.data.find(({ id }: Wire) => id === made.id);
  assert.deepEqual([listed.scopes, "token" in listed], [["scim"], false]);
});

test("each change has one entry in the audit log, with the account and what it changed; reads and failures have none", async (t) => {
  const service = await testApp(t);
  const scim = await scimOf(service, "acme");
  const { id: user } = (await scim.send("POST", "/Users", { userName: "ada@example.com" })).body;
  const { id: group } = (await scim.send("POST", "/Groups", { displayName: "G" })).body;
  const Operations = [{ op: "add", path: "members", value: [{ value: user }] }];
  await scim.send("GET", "/Users");
  await scim.send("PATCH", `/Groups/${group}`, { Operations });
  await scim.send("PATCH", `/Users/${user}`, { Operations: [] });
  await scim.send("PUT", `/Users/${user}`, { userName: "ada@example.com" }, { "user-agent": "Okta/1.0 x" });
  await scim.send("DELETE", `/Groups/${group}`);
  await scim.send("DELETE", `/Users/${user}`);
  const operator = await service.operator();
  const { data } = (await operator.get("/api/v1/admin/audit_entries?operation=scim")).body;
  assert.deepEqual(
    data.toReversed().map(({ operation, resources }: Wire) => [operation, resources]),
    [
      ["scim.users.create", [user]],
      ["scim.groups.create", [group]],
      ["scim.groups.patch", [group]],
      ["scim.users.replace", [user]],
      ["scim.groups.delete", [group]],
      ["scim.users.delete", [user]],
    ],
  );
  for (const { actor_type, actor_id, actor, token_id, organization } of data)
    assert.deepEqual(
      [actor_type, actor_id, actor.split(" ")[0], token_id, organization],
      [
        "service_account",
        formatId("service_account", scim.accountId),
        "scim",
        formatId("token", scim.tokenId),
        "acme",
      ],
    );
  assert.equal(data[2].user_agent, "Okta/1.0");
});

test("what belongs to another organization is 404, and in no list", async (t) => {
  const service = await testApp(t);
  const [own, other] = [await scimOf(service, "acme"), await scimOf(service, "other")];
  const { id: user } = (await other.send("POST", "/Users", { userName: "eve@example.com", externalId: "e" }))
    .body;
  const { id: group } = (
    await other.send("POST", "/Groups", { displayName: "G", members: [{ value: user }] })
  ).body;
  const before = [await other.send("GET", "/Users"), await other.send("GET", "/Groups")].map(
    ({ body }) => body,
  );
  const Operations = [{ op: "replace", path: "displayName", value: "taken" }];
  for (const path of [
    `/Users/${user}`,
    `/Groups/${group}`,
    "/Users/usr_x",
    `/Users/${group}`,
    `/Groups/${user}`,
  ])
    for (const [method, body] of [
      ["GET", undefined],
      ["PUT", { userName: "x@example.com", displayName: "x" }],
      ["PATCH", { Operations }],
      ["DELETE", undefined],
    ] as const) {
      const reply = await own.send(method, path, body);
      assert.deepEqual([reply.status, reply.body.schemas], [404, [ERROR]], `${method} ${path}`);
    }
  for (const path of ["/Users", "/Groups"]) assert.equal((await own.send("GET", path)).body.totalResults, 0);
  for (const filter of [
    `id eq "${user}"`,
    'userName eq "eve@example.com"',
    'externalId eq "e"',
    `groups.value eq "${group}"`,
  ])
    assert.equal(
      (await own.send("GET", `/Users?${new URLSearchParams({ filter })}`)).body.totalResults,
      0,
      filter,
    );
  assert.deepEqual(
    [await other.send("GET", "/Users"), await other.send("GET", "/Groups")].map(({ body }) => body),
    before,
  );
});

test("bodies: both media types, within the limits of all bodies; anything else is an error of SCIM", async (t) => {
  const service = await testApp(t, { jsonLimit: 5_000 });
  const scim = await scimOf(service, "acme");
  const post = (body: string, type = "application/scim+json") =>
    scim.send("POST", "/Users", body, { "content-type": type });
  const user = (name: string) => JSON.stringify({ userName: `${name}@example.com` });
  assert.equal((await post(user("a"), "application/json")).status, 201);
  assert.equal((await post(user("b"), "application/scim+json; charset=utf-8")).status, 201);
  for (const [body, type] of [
    [user("c"), "text/plain"],
    ["{", "application/scim+json"],
    ["[]", "application/scim+json"],
    ["", "application/scim+json"],
    [JSON.stringify({ userName: "x".repeat(6_000) }), "application/scim+json"],
    ['{"userName":"a\\u0000"}', "application/scim+json"],
  ] as const) {
    const reply = await post(body, type);
    assert.deepEqual([reply.status, reply.body.status, reply.body.schemas], [400, "400", [ERROR]], body);
    assert.equal(typeof reply.body.detail, "string");
    assert.equal(reply.headers["content-type"], "application/scim+json; charset=utf-8");
  }
  for (const path of ["/Bulk", "/Me", "/Users/a/b", "/"])
    assert.equal((await scim.send("GET", path)).body.status, "404", path);
  const dry = await scim.send("POST", "/Users", { userName: "dry@example.com" }, { "berth-dry-run": "true" });
  assert.equal(dry.status, 400);
});

test("requests have the limits of the token's account", async (t) => {
  const service = await testApp(t, {
    limits: { organization: {}, user: { requests_per_second: 1, request_burst: 2 } },
  });
  const scim = await scimOf(service, "acme");
  const replies: Awaited<ReturnType<Scim["send"]>>[] = [];
  for (let index = 0; index < 3; index += 1) replies.push(await scim.send("GET", "/Schemas"));
  const last = replies.at(-1);
  assert.deepEqual([last?.status, last?.body.schemas], [429, [ERROR]]);
  assert.ok(Number(last?.headers["retry-after"]) > 0);
});

test("the service says what it supports, its types of resources and their schemas", async (t) => {
  const scim = await scimOf(await testApp(t), "acme");
  const config = (await scim.send("GET", "/ServiceProviderConfig")).body;
  assert.deepEqual(
    ["patch", "bulk", "filter", "changePassword", "sort", "etag"].map((name) => config[name].supported),
    [true, false, true, false, false, false],
  );
  for (const [path, names] of [
    ["/ResourceTypes", ["User", "Group"]],
    ["/Schemas", ["User", "Group"]],
  ] as const) {
    const { body } = await scim.send("GET", path);
    assert.deepEqual(
      body.Resources.map(({ name }: Wire) => name),
      names,
    );
    for (const resource of body.Resources) {
      assert.deepEqual((await scim.send("GET", `${path}/${resource.id}`)).body, resource);
      assert.ok(resource.meta.location.endsWith(`${path}/${resource.id}`));
    }
    assert.equal((await scim.send("GET", `${path}/none`)).status, 404);
  }
});

test("an error of the service is not told", async (t) => {
  const service = await testApp(t);
  const scim = await scimOf(service, "acme");
  await service.db.write.query({ text: "alter table scim_users rename to elsewhere" });
  const { status, body } = await scim.send("GET", "/Users");
  assert.deepEqual(
    [status, body],
    [500, { schemas: [ERROR], status: "500", detail: "An internal error occurred." }],
  );
  assert.equal((await callerOf(service.app, scim.token).get("/whoami")).status, 403);
});
