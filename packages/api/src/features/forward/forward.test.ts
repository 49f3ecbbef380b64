// Subject: the routes of forward.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";
import { postSkill } from "../../../test-support/skills.ts";

const forward = "/api/v1/forward";
const absent = "01h00000000000000000000000";

function register(caller: Caller, type: string, id: string, headers?: Record<string, string>) {
  return caller.post(`${forward}/resources/registry`, { type, resource: { id } }, headers);
}

async function list(caller: Caller, query: string): Promise<Wire> {
  const { status, body } = await caller.get(`${forward}/resources?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Returns the ids of a list's data, its ends, and whether more follows. */
function seen({ data, first_id, last_id, has_more }: Wire) {
  return [data.map(({ id }: Wire) => id), first_id, last_id, has_more];
}

async function environments(owner: Caller, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await owner.made("/environments", { name: `e${n}` })).id);
  return ids;
}

describe("forward", () => {
  test("list: every type has the object of its own endpoint", async (t) => {
    const owner = await (await testApp(t)).caller();
    const made: Record<string, Wire> = {
      skill: (await postSkill(owner, "tidy")).body,
      file: (await owner.upload("x")).body,
      vault: await owner.made("/vaults", { display_name: "v" }),
      environment: await owner.made("/environments", { name: "e" }),
    };
    for (const [type, resource] of Object.entries(made)) {
      const first = await register(owner, type, resource.id);
      assert.deepEqual([first.status, first.body], [201, { id: resource.id, type }]);
      const again = await register(owner, type, resource.id);
      assert.deepEqual([again.status, again.body], [200, first.body]);
      const { data, ...rest } = await list(owner, `type=${type}`);
      assert.deepEqual(rest, { has_more: false, first_id: resource.id, last_id: resource.id });
      assert.match(data[0].owner_id, /^usr_/);
      const { owner_id, ...entry } = data[0];
      assert.deepEqual(entry, { id: resource.id, type, owner_type: "user", resource_spec: resource });
    }
    await owner.made(`/skills/${made.skill.id}`, { metadata: { live: "yes" } });
    const { data } = await list(owner, "type=skill");
    assert.deepEqual(data[0].resource_spec, (await owner.get(`/skills/${made.skill.id}`)).body);
  });

  test("register: concurrently → one gets 201; an idempotent retry keeps its status", async (t) => {
    const owner = await (await testApp(t)).caller();
    const [one = "", two = ""] = await environments(owner, 2);
    const replies = await Promise.all(Array.from({ length: 8 }, () => register(owner, "environment", one)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [
      ...Array.from({ length: 7 }, () => 200),
      201,
    ]);
    const key = { "idempotency-key": "k" };
    const first = await register(owner, "environment", two, key);
    const again = await register(owner, "environment", two, key);
    assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text]);
    assert.equal(again.headers["idempotency-replayed"], "true");
    assert.equal((await register(owner, "environment", one, key)).body.error.type, "conflict_error");
  });

  test("register: an absent, foreign or unknown resource → the matching error", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const [id = ""] = await environments(owner, 1);
    const refusal = async (body: unknown, by = owner) => {
      const response = await by.post(`${forward}/resources/registry`, body);
      return [response.status, response.body.error.type, response.body.error.param];
    };
    const invalid = (param?: string) => [400, "invalid_request_error", param];
    assert.deepEqual(await refusal({ resource: { id } }), invalid("type"));
    assert.deepEqual(await refusal({ type: "session", resource: { id } }), invalid("type"));
    assert.deepEqual(await refusal({ type: "environment" }), invalid("resource"));
    assert.deepEqual(await refusal({ type: "environment", resource: {} }), invalid("resource.id"));
    assert.deepEqual(await refusal({ type: "environment", resource: { id: 7 } }), invalid("resource.id"));
    assert.deepEqual(await refusal({ type: "environment", resource: id }), invalid("resource"));
    assert.deepEqual(await refusal({ type: "environment", resource: { id }, more: 1 }), invalid("more"));
    assert.deepEqual(await refusal([]), invalid());
    for (const type of ["skill", "file", "vault"]) {
      assert.deepEqual(await refusal({ type, resource: { id } }), [404, "not_found_error", "resource.id"]);
    }
    for (const given of [`env_${absent}`, "x", `vault_${absent}`]) {
      const type = given.startsWith("vault") ? "vault" : "environment";
      assert.equal((await refusal({ type, resource: { id: given } }))[0], 404);
    }
    const other = await caller({ email: "other@example.com" });
    const theirs = await refusal({ type: "environment", resource: { id } }, other);
    assert.deepEqual(theirs, [403, "permission_error", undefined]);
    const full = { type: "environment", resource: { id, name: "x", nested: { any: [1] } } };
    assert.equal((await owner.post(`${forward}/resources/registry`, full)).status, 201);
  });

  test("list: pages follow registrations, newest first, whatever is hidden", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const made = await environments(owner, 6);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = made;
    const order = [c, a, f, b, e, d];
    for (const id of order) await register(owner, "environment", id);
    await register(owner, "environment", c);
    const of = async (query: string) => seen(await list(owner, `type=environment&${query}`));
    assert.deepEqual(await of(""), [[d, e, b, f, a, c], d, c, false]);
    assert.deepEqual(await of("limit=2"), [[d, e], d, e, true]);
    assert.deepEqual(await of(`limit=2&after_id=${e}`), [[b, f], b, f, true]);
    assert.deepEqual(await of(`limit=2&after_id=${f}`), [[a, c], a, c, false]);
    assert.deepEqual(await of(`limit=2&after_id=${c}`), [[], null, null, false]);
    assert.deepEqual(await of(`limit=2&before_id=${f}`), [[e, b], e, b, true]);
    assert.deepEqual(await of(`limit=2&before_id=${e}`), [[d], d, d, false]);
    await owner.delete(`/environments/${b}`);
    await owner.post(`/environments/${f}/archive`);
    assert.deepEqual(await of(""), [[d, e, a, c], d, c, false]);
    assert.deepEqual(await of("limit=3"), [[d, e], d, e, true]);
    assert.deepEqual(await of(`limit=2&after_id=${e}`), [[], b, f, true]);
    assert.deepEqual(await of(`limit=2&after_id=${f}`), [[a, c], a, c, false]);
    assert.deepEqual(await of(`limit=1&after_id=${b}`), [[], f, f, true]);
    const other = await caller({ email: "other@example.com" });
    assert.deepEqual(seen(await list(other, "type=environment")), [[], null, null, false]);
    assert.deepEqual(await of(`after_id=env_${absent}`), [[], null, null, false]);
  });

  test("list: a resource that is deleted, archived or no longer accessible → left out", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const shared = await (await caller({ kind: "sat" })).made("/environments", { name: "shared" });
    assert.equal((await register(owner, "environment", shared.id)).status, 201);
    assert.equal((await list(owner, "type=environment")).data.length, 1);
    await db.write.query({
      text: `update environments set owner_type = 'user', owner_id = gen_random_uuid() where name = 'shared'`,
    });
    assert.deepEqual((await list(owner, "type=environment")).data, []);
  });

  test("list: an invalid query → 400", async (t) => {
    const owner = await (await testApp(t)).caller();
    const [id = ""] = await environments(owner, 1);
    for (const [query, param] of [
      ["", "type"],
      ["type=session", "type"],
      ["type=skill&limit=0", "limit"],
      ["type=skill&limit=101", "limit"],
      ["type=skill&limit=x", "limit"],
      ["type=skill&page=x", "page"],
      [`type=environment&after_id=${id}&before_id=${id}`, "before_id"],
      [`type=skill&after_id=${id}`, "after_id"],
      ["type=skill&before_id=x", "before_id"],
    ] as const) {
      const { status, body } = await owner.get(`${forward}/resources?${query}`);
      assert.deepEqual(
        [status, body.error.type, body.error.param],
        [400, "invalid_request_error", param],
        query,
      );
    }
  });

  test("authentication: only a user's token is accepted; every error has a code", async (t) => {
    const { app, caller } = await testApp(t);
    const tokens = [undefined, "Bearer x", "Basic x", `Bearer ${(await caller({ kind: "sat" })).token}`];
    for (const authorization of tokens) {
      for (const [method, path] of [
        ["GET", "/resources?type=skill"],
        ["POST", "/resources/registry"],
      ] as const) {
        const headers = authorization === undefined ? {} : { authorization };
        const response = await app.fastify.inject({ method, url: forward + path, headers });
        const { type, code, message } = response.json().error;
        assert.deepEqual(
          [response.statusCode, type, code],
          [401, "authentication_error", "authentication_required"],
          message,
        );
      }
    }
    const elsewhere = await app.fastify.inject({ method: "GET", url: "/api/v1/cloud/agents" });
    assert.equal(elsewhere.json().error.code, undefined);
    const wrong = await app.fastify.inject({ method: "GET", url: `${forward}/nowhere` });
    assert.deepEqual([wrong.statusCode, wrong.json().error.type], [404, "not_found_error"]);
    const reader = await caller({ scopes: ["forward:read"] });
    assert.equal((await register(reader, "skill", "x")).status, 403);
    assert.equal((await reader.get(`${forward}/resources?type=skill`)).status, 200);
  });
});
