import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type Caller, type TestApp, testApp } from "../../test-support/http.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function house(t: TestContext): Promise<TestApp & { owner: Caller }> {
  const app = await testApp(t);
  return { ...app, owner: await app.caller() };
}

/** Returns status, type, param and message of the response to these bytes. */
async function send(
  app: TestApp,
  owner: Caller,
  payload: Buffer | string,
  headers: Record<string, string> = {},
) {
  const answer = await app.app.fastify.inject({
    method: "POST",
    url: "/api/v1/cloud/agents",
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json", ...headers },
    payload,
  });
  const { error } = answer.json();
  return { status: answer.statusCode, ...error } as Record<string, unknown>;
}

describe("mount", () => {
  test("checks are made in order: route, token, scope, query, body, then the handler's", async (t) => {
    const { app, owner, caller } = await house(t);
    const narrow = await caller({ scopes: ["agents:read"] });
    const nobody = (method: "POST" | "GET", path: string) =>
      app.fastify.inject({ method, url: `/api/v1/cloud${path}?x=1`, payload: "{" });
    assert.equal((await nobody("POST", "/nowhere")).statusCode, 404);
    assert.equal((await nobody("POST", "/agents")).statusCode, 401);
    assert.equal((await narrow.post("/agents?x=1", "bad")).status, 403);
    assert.equal((await owner.post("/agents?x=1", "bad")).body.error.param, "x");
    const absent = "/sessions/sess_01h00000000000000000000000";
    assert.equal((await owner.post(`${absent}/resources`, { type: "vault" })).status, 400);
    assert.equal((await owner.post(`${absent}/events`, { events: [] })).body.error.param, "events");
    assert.equal((await owner.get(`${absent}/resources?limit=0`)).status, 400);
  });

  test("body: invalid JSON, encoding or content type → 400", async (t) => {
    const { owner, ...app } = await house(t);
    const refused = async (payload: Buffer | string, message: RegExp, headers?: Record<string, string>) => {
      const { status, type, message: told } = await send(app, owner, payload, headers);
      assert.deepEqual([status, type], [400, "invalid_request_error"], String(told));
      assert.match(String(told), message);
    };
    await refused("", /requires a JSON body/);
    await refused("{", /not valid JSON/);
    await refused('{"name":"a"}{}', /not valid JSON/);
    await refused("NaN", /not valid JSON/);
    await refused('\ufeff{"name":"a"}', /not valid JSON/);
    await refused(Buffer.from('{"name":"a"}', "utf16le"), /not valid JSON|UTF-8/);
    await refused(Buffer.from([0x22, 0xff, 0x22]), /UTF-8/);
    await refused(Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /UTF-8/);
    await refused(`${"[".repeat(65)}${"]".repeat(65)}`, /deeper than 64/);
    await refused("[".repeat(60_000), /deeper than 64/);
    await refused('{"metadata":{"__proto__":{"a":"b"}}}', /__proto__/);
    await refused('{"name":"a\\u0000b"}', /NUL/);
    await refused('{"name":"\\ud800"}', /surrogate/);
    await refused(JSON.stringify({ name: "x".repeat(70_000) }), /larger than 65536 bytes/);
    await refused("{}", /content type/, { "content-type": "text/plain" });
    await refused("{}", /content type/, { "content-type": "application/json garbage" });
    await refused("{}", /content type/, { "content-type": "application/json; charset=latin1" });
    await refused("{}", /content type/, { "content-type": "" });
    const body = '{"name":"a","model":"rehearsal/steps"}';
    for (const type of [
      "application/json",
      "Application/JSON; charset=UTF-8",
      'application/json;charset="utf-8"',
    ]) {
      assert.equal((await send(app, owner, body, { "content-type": type })).status, 200, type);
    }
    const { param } = await send(app, owner, '{"name":"a","model":"x","metadata":{"k":"a\\u0000"}}');
    assert.equal(param, "metadata.k");
  });

  test("query: unknown, repeated or invalid parameters → 400", async (t) => {
    const { owner } = await house(t);
    for (const [query, param] of [
      ["limit=5&limit=6", "limit"],
      ["lmit=5", "lmit"],
      ["limit=", "limit"],
      ["limit", "limit"],
      ["limit=+5", "limit"],
      ["limit=5%20", "limit"],
      ["limit=%zz", undefined],
      ["limit=%ff", undefined],
      ["__proto__=1", "query"],
      ["include_archived=yes", "include_archived"],
      ["created_at[gt]=2026-01-01", "created_at[gt]"],
      ["page=a&after_id=agent_01h00000000000000000000000", "after_id"],
    ] as const) {
      const { status, body } = await owner.get(`/agents?${query}`);
      assert.deepEqual([status, body.error.param], [400, param], query);
    }
    assert.equal((await owner.get("/agents?&limit=5&")).status, 200);
    const encoded =
      "/agents?created_at%5Bgte%5D=2026-01-01T00%3A00%3A00Z&created_at[lt]=0001-01-01T00:00:00Z";
    assert.deepEqual((await owner.get(encoded)).body.data, []);
  });

  test("POST without a body: none or an empty object → accepted", async (t) => {
    const { owner } = await house(t);
    const path = "/sessions/sess_01h00000000000000000000000/cancel";
    for (const body of [undefined, {}, null]) assert.equal((await owner.post(path, body)).status, 404);
    assert.equal((await owner.post(path, { a: 1 })).body.error.param, "a");
    assert.equal((await owner.post(path, "now")).body.error.message, "The body must be an object.");
  });

  test("unknown paths and methods, invalid escapes and very long ids → 404", async (t) => {
    const { app, owner } = await house(t);
    for (const [method, path] of [
      ["PUT", "/agents"],
      ["DELETE", "/agents"],
      ["PATCH", "/sessions/x"],
      ["HEAD", "/agents"],
      ["OPTIONS", "/agents"],
      ["GET", "/agents/"],
      ["GET", "/agents/x/y"],
      ["GET", `/agents/${"a".repeat(2_000)}`],
      ["GET", "/agents/%00"],
      ["GET", "/agents/agent_01h0000000000000000000000%2f"],
    ] as const) {
      const headers = { authorization: `Bearer ${owner.token}` };
      const answer = await app.fastify.inject({ method, url: `/api/v1/cloud${path}`, headers });
      assert.equal(answer.statusCode, 404, `${method} ${path}`);
      assert.equal(answer.headers["x-should-retry"], "false");
      if (method !== "HEAD") assert.equal(answer.json().error.type, "not_found_error");
    }
    assert.equal((await owner.get("/agents/%zz")).status, 400);
  });

  test("every response has the request id: the caller's if it is valid, else a UUID", async (t) => {
    const { owner } = await house(t);
    for (const path of ["/agents", "/agents/x", "/nowhere", "/agents?limit=0"]) {
      const named = await owner.get(path, { "x-request-id": "deploy-42/a:b" });
      assert.deepEqual(
        [named.headers["x-request-id"], named.headers["request-id"]],
        Array(2).fill("deploy-42/a:b"),
      );
      if (named.status !== 200) assert.equal(named.body.request_id, "deploy-42/a:b");
      for (const unusable of ["", "a b", "x".repeat(129), "é"]) {
        assert.match(
          String((await owner.get(path, { "x-request-id": unusable })).headers["x-request-id"]),
          uuid,
        );
      }
    }
  });

  test("unexpected failures → api_error without the cause; the database away → reported in time", async (t) => {
    const { owner, db } = await house(t);
    await db.write.query({ text: "alter table agents rename to agents_away" });
    const failed = await owner.get("/agents");
    assert.deepEqual([failed.status, failed.body.error.type], [500, "api_error"]);
    assert.ok(!failed.text.includes("agents_away") && !failed.text.includes("relation"));
    assert.equal(failed.headers["x-should-retry"], undefined);
    await db.close();
    const began = Date.now();
    const away = await owner.get("/agents");
    assert.equal(away.body.error.type, "api_error");
    assert.ok(Date.now() - began < 30_000);
  });
});
