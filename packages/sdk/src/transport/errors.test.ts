import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf, deadURL, respondWithError, startWire } from "../../test-support/wire.ts";
import {
  APIError,
  AuthenticationError,
  BerthError,
  ConflictError,
  FeatureNotAvailableError,
  InternalServerError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
} from "./errors.ts";

const cases: [status: number, type: string, expected: typeof APIError][] = [
  [400, "invalid_request_error", InvalidRequestError],
  [409, "invalid_request_error", InvalidRequestError],
  [401, "authentication_error", AuthenticationError],
  [403, "permission_error", PermissionError],
  [404, "not_found_error", NotFoundError],
  [409, "conflict_error", ConflictError],
  [429, "rate_limit_error", RateLimitError],
  [500, "api_error", InternalServerError],
];

for (const [status, type, expected] of cases) {
  test(`an error response of type ${type} with ${status} is an ${expected.name}`, async (t) => {
    const wire = await startWire(t, (_, response) =>
      respondWithError(
        response,
        status,
        { type, message: "No.", param: "resources[0].url", code: "c" },
        { "x-extra": "1" },
      ),
    );
    const error = await clientOf(wire.url, { maxRetries: 0 })
      .client.sessions.get("sess_1")
      .catch((e: unknown) => e);
    assert.ok(error instanceof expected);
    assert.equal(error.constructor, expected);
    assert.equal(error.name, expected.name);
    const { message, param, code, requestId } = error;
    assert.deepEqual({ status: error.status, type: error.type }, { status, type });
    assert.deepEqual(
      { message, param, code, requestId },
      { message: "No.", param: "resources[0].url", code: "c", requestId: "req_1" },
    );
    assert.equal(error.headers.get("x-extra"), "1");
  });
}

test("an error without a message names the feature and the identifier that activates it", async (t) => {
  const wire = await startWire(t, (_, response) =>
    respondWithError(response, 501, {
      type: "feature_not_available",
      feature: "outcomes",
      available_from: "outcomes-2026-11-20",
    }),
  );
  const { client, waits } = clientOf(wire.url);
  const error = await client.agents.get("agent_1").catch((e: unknown) => e);
  assert.ok(error instanceof FeatureNotAvailableError);
  assert.equal(error.feature, "outcomes");
  assert.equal(error.availableFrom, "outcomes-2026-11-20");
  assert.match(error.message, /outcomes.*outcomes-2026-11-20/);
  assert.deepEqual(waits, [], "it is not tried again");
});

test("a proxy's error page and a redirect are errors without a type", async (t) => {
  const wire = await startWire(t, (_, response, index) => {
    if (index === 0) response.writeHead(413, { "x-request-id": "req_h" }).end("<html>");
    else response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
  });
  const { client } = clientOf(wire.url);
  for (const [status, message, requestId] of [
    [413, "413 Payload Too Large", "req_h"],
    [307, "307 Temporary Redirect", null],
  ]) {
    const error = await client.agents.get("agent_1").catch((e: unknown) => e);
    assert.ok(error instanceof APIError);
    assert.deepEqual(
      [error.status, error.type, error.message, error.requestId],
      [status, null, message, requestId],
    );
  }
});

test("a response that is not JSON is reported, without a retry", async (t) => {
  const wire = await startWire(t, (_, response) => void response.writeHead(200).end("<html>"));
  await assert.rejects(clientOf(wire.url).client.agents.get("agent_1"), (error) => {
    return error instanceof BerthError && /not JSON.*baseURL/.test(error.message);
  });
  assert.equal(wire.received.length, 1);
});

test("no error contains the token", async (t) => {
  const wire = await startWire(t, (_, response) =>
    respondWithError(response, 401, { type: "authentication_error", message: "No." }),
  );
  const { client } = clientOf(wire.url);
  const refused = await client.agents.get("agent_1").catch((e: unknown) => e);
  wire.server.closeAllConnections();
  wire.server.close();
  const unreached = await clientOf(await deadURL())
    .client.agents.get("agent_1")
    .catch((e: unknown) => e);
  const { inspect } = await import("node:util");
  for (const error of [refused, unreached, client]) {
    assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /berth_pat_test/);
  }
});

test("a token that is invalid in a header is rejected without repeating it", () => {
  for (const token of ["", "berth_pat_a b", "berth_pat_a\nb", "berth_pat_ä"]) {
    assert.throws(() => clientOf("http://127.0.0.1", { token }), {
      name: "BerthError",
      message: /^'token' must be/,
    });
  }
});
