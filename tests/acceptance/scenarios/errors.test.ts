import assert from "node:assert/strict";
import { connect } from "node:net";
import { type Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

covers(["error-envelope"], "error envelope: has type, request_id and the error with its param", async () => {
  const response = await api.post("/agents", { model: "rehearsal/steps" });
  assert.equal(response.status, 400);
  assert.deepEqual(response.body, {
    type: "error",
    request_id: response.headers.get("x-request-id"),
    error: { type: "invalid_request_error", message: "Field 'name' is required.", param: "name" },
  });
});

covers(
  ["error-request-id"],
  "request id: the caller's is returned in the headers of every response and in the body of an error",
  async () => {
    const headers = { "x-request-id": "deploy-42/a:b" };
    const missing = await api.get("/agents/agent_01h00000000000000000000000", { headers });
    assert.equal(missing.body.request_id, "deploy-42/a:b");
    for (const response of [missing, await api.get("/agents", { headers })]) {
      assert.equal(response.headers.get("x-request-id"), "deploy-42/a:b");
      assert.equal(response.headers.get("request-id"), "deploy-42/a:b");
    }
  },
);

covers(["error-request-id"], "request id: a UUID when the caller sends none or an invalid one", async () => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  for (const headers of [{}, { "x-request-id": "x".repeat(129) }, { "x-request-id": "with space" }]) {
    const response = await api.get("/nowhere", { headers });
    assert.match(response.body.request_id, uuid);
  }
});

covers(["error-body"], "invalid body or query → 400", async () => {
  const json = { headers: { "content-type": "application/json" } };
  assertError(
    await api.call("POST", "/agents", undefined, { ...json, raw: "{" }),
    400,
    "invalid_request_error",
  );
  assertError(
    await api.call("POST", "/agents", undefined, { ...json, raw: '{"name":"a"}{}' }),
    400,
    "invalid_request_error",
  );
  assertError(
    await api.call("POST", "/agents", undefined, { ...json, raw: "" }),
    400,
    "invalid_request_error",
  );
  assertError(await api.post("/agents", []), 400, "invalid_request_error");
  assertError(
    await api.post("/agents", { name: 5, model: "rehearsal/steps" }),
    400,
    "invalid_request_error",
    {
      message: "Field 'name' must be a string.",
      param: "name",
    },
  );
  assertError(
    await api.post("/agents", { name: "a", model: "rehearsal/steps", nmae: "b" }),
    400,
    "invalid_request_error",
    { param: "nmae" },
  );
  assertError(await api.get("/agents?lmit=3"), 400, "invalid_request_error", { param: "lmit" });
  const text = { headers: { "content-type": "text/plain" }, raw: '{"name":"a","model":"rehearsal/steps"}' };
  assertError(await api.call("POST", "/agents", undefined, text), 400, "invalid_request_error");
});

covers(["error-body"], "a __proto__ key in a body → 400", async () => {
  const raw = '{"name":"a","model":"rehearsal/steps","metadata":{"__proto__":{"polluted":"yes"}}}';
  assertError(
    await api.call("POST", "/agents", undefined, { headers: { "content-type": "application/json" }, raw }),
    400,
    "invalid_request_error",
  );
  assert.equal((await api.get("/agents")).status, 200);
});

covers(["limit-body"], "a JSON body over 4 MiB is rejected, a smaller one is parsed", async () => {
  const over = { name: "a", model: "rehearsal/steps", system: "x".repeat(4 * 1024 * 1024) };
  assertError(await api.post("/agents", over), 400, "invalid_request_error", { message: /4 ?MiB|4194304/ });
  const below = { name: "a", model: "rehearsal/steps", system: "x".repeat(3 * 1024 * 1024) };
  assertError(await api.post("/agents", below), 400, "invalid_request_error", { param: "system" });
});

covers(["error-path", "paths"], "unknown path or method → 404", async () => {
  for (const [method, path] of [
    ["GET", "/nowhere"],
    ["GET", "/nowhere/"],
    ["GET", "//api/v1/agents"],
    ["DELETE", "/agents"],
    ["PATCH", "/sessions/sess_01h00000000000000000000000"],
    ["PUT", "/agents"],
  ] as const) {
    assertError(await api.call(method, path), 404, "not_found_error");
  }
  assert.equal((await api.get("//api/v1/cloud/agents")).status, 200);
});

covers(["error-no-retry"], "x-should-retry: false on errors that must not be retried", async () => {
  const body = { name: "twice" };
  assert.equal((await api.post("/environments", body)).status, 200);
  const again = await api.post("/environments", body);
  assert.equal(again.status, 409);
  assert.equal(again.headers.get("x-should-retry"), "false");
  assert.equal((await api.get("/nowhere")).headers.get("x-should-retry"), "false");
});

covers(["error-transport"], "malformed HTTP → the error envelope", async () => {
  for (const bytes of [
    "NONSENSE\r\n\r\n",
    "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    `GET /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(70_000)}\r\n\r\n`,
    "GET /api/v1/cloud/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "POST /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
    "POST /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ]) {
    const reply = await sendRaw(bytes);
    const [head = "", body = ""] = reply.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 4\d\d /, bytes.slice(0, 40));
    const {
      type,
      error,
      request_id: id,
    } = JSON.parse(body.slice(body.indexOf("{"), body.lastIndexOf("}") + 1));
    assert.equal(type, "error");
    assert.equal(typeof id, "string");
    assert.ok(
      ["invalid_request_error", "not_found_error", "authentication_error"].includes(error.type),
      error.type,
    );
  }
  assert.equal((await api.get("/agents")).status, 200);
});

covers(["openapi"], "openapi.json: describes the operations of the service and no others", async () => {
  const { body } = await new (api.constructor as typeof Api)(berth.url, null).get("//openapi.json");
  assert.match(body.openapi, /^3\.1/);
  const operations = Object.entries(body.paths as Record<string, Record<string, unknown>>).flatMap(
    ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.ok(operations.includes("POST /api/v1/cloud/sessions"));
  assert.ok(operations.includes("GET /api/v1/cloud/sessions/{session_id}/events/stream"));
  const text = JSON.stringify(body);
  for (const later of ["self_hosted", "user.define_outcome"]) {
    assert.ok(!text.includes(later), `${later} is not implemented and must not be described`);
  }
});

/** Sends raw bytes and resolves with the response when the server closes the connection. */
function sendRaw(bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(berth.url).port), "127.0.0.1", () => socket.write(bytes));
  let reply = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    reply += chunk;
  });
  socket.on("close", () => resolve(reply)).on("error", reject);
  socket.setTimeout(20_000, () => socket.destroy(new Error(`incomplete response: ${reply}`)));
  return promise;
}
