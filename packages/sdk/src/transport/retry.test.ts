import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf, deadURL, respond, respondWithError, startWire } from "../../test-support/wire.ts";
import { APIError, BerthError, ConnectionError, TimeoutError } from "./errors.ts";
import { retryDelay, sleep } from "./retry.ts";

const broken = { type: "api_error", message: "It broke." };

test("a 5xx is retried after 1, 2 and 4 seconds, then thrown", async (t) => {
  const wire = await startWire(t, (_, response) => respondWithError(response, 500, broken));
  const { client, waits } = clientOf(wire.url);
  await assert.rejects(client.sessions.get("sess_1"), { type: "api_error" });
  assert.deepEqual(waits, [1000, 2000, 4000]);
  assert.equal(wire.received.length, 4);
});

test("all attempts of a POST have the same idempotency key and body; another call has another key", async (t) => {
  const wire = await startWire(t, (_, response, index) =>
    index === 0
      ? void response.destroy()
      : index === 1
        ? respondWithError(response, 503, broken)
        : respond(response, 200, { id: "agent_1" }),
  );
  const { client, waits } = clientOf(wire.url);
  assert.deepEqual(await client.agents.create({ name: "a", model: "p/m" }), { id: "agent_1" });
  assert.deepEqual(waits, [1000, 2000]);
  await client.agents.create({ name: "a", model: "p/m" });
  const keys = wire.received.map((request) => request.headers["idempotency-key"]);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.deepEqual(keys.slice(0, 3), [keys[0], keys[0], keys[0]]);
  assert.notEqual(keys[3], keys[0]);
  for (const request of wire.received) assert.equal(request.body, '{"name":"a","model":"p/m"}');
});

for (const status of [400, 401, 403, 404, 408, 409, 429]) {
  test(`a ${status} is never retried, whatever its headers are`, async (t) => {
    const wire = await startWire(t, (_, response) =>
      respondWithError(
        response,
        status,
        { type: "conflict_error", message: "No." },
        { "x-should-retry": "true", "retry-after": "1" },
      ),
    );
    await assert.rejects(clientOf(wire.url).client.sessions.archive("sess_1"), { status });
    assert.equal(wire.received.length, 1);
  });
}

test("a limit on requests is retried after the time that it tells, other limits are not", async (t) => {
  const limited = {
    type: "rate_limit_error",
    message: "The user's limit of 1 requests a second is reached.",
  };
  const wire = await startWire(t, (_, response, index) => {
    if (index === 1) response.end('{"id":"sess_1"}');
    else respondWithError(response, 429, limited, index === 0 ? { "retry-after": "3" } : {});
  });
  const { client, waits } = clientOf(wire.url);
  assert.deepEqual(await client.sessions.archive("sess_1"), { id: "sess_1" });
  assert.deepEqual(waits, [3000]);
  await assert.rejects(client.sessions.archive("sess_1"), { status: 429 });
  assert.equal(wire.received.length, 3);
});

test("a 5xx with x-should-retry: false is not retried", async (t) => {
  const wire = await startWire(t, (_, response) =>
    respondWithError(response, 500, broken, { "x-should-retry": "false" }),
  );
  await assert.rejects(clientOf(wire.url).client.sessions.get("sess_1"), { status: 500 });
  assert.equal(wire.received.length, 1);
});

test("an upload, and a request with an incomplete response, are sent again whole", async (t) => {
  const wire = await startWire(t, (_, response, index) => {
    if (index > 0) return respond(response, 200, { id: "file_1" });
    response.writeHead(200, { "content-length": "100" });
    response.write('{"id":', () => response.destroy());
  });
  const { client, waits } = clientOf(wire.url);
  const upload = { name: "ä.txt", content: "content", type: "text/plain" };
  assert.deepEqual(await client.files.upload(upload, { metadata: { k: "v" } }), { id: "file_1" });
  assert.deepEqual(waits, [1000]);
  for (const { body, headers } of wire.received) {
    assert.match(String(headers["content-type"]), /^multipart\/form-data; boundary=/);
    assert.match(
      body,
      /name="metadata"\r\n\r\n\{"k":"v"\}\r\n[\s\S]*name="file"; filename="ä.txt"\r\nContent-Type: text\/plain\r\n\r\ncontent\r\n/,
    );
  }
});

test("retry-after extends the delay; more than a minute is not retried", () => {
  const now = Date.parse("2026-11-21T00:00:00Z");
  const delay = (value: string, retries = 0) => retryDelay(refusal({ "retry-after": value }), retries, now);
  assert.equal(delay("7"), 7000);
  assert.equal(delay("1", 2), 4000);
  assert.equal(delay("1.5"), 1500);
  assert.equal(delay("Sat, 21 Nov 2026 00:00:30 GMT"), 30_000);
  assert.equal(delay("61"), null);
  assert.equal(delay("soon"), 1000);
});

test("an unreachable server is a ConnectionError with the address and the reason", async () => {
  const url = await deadURL();
  const { client, waits } = clientOf(url);
  await assert.rejects(client.sessions.get("sess_1"), (error) => {
    assert.ok(error instanceof ConnectionError && error.cause instanceof Error);
    assert.match(error.message, /^The connection to http:\/\/127\.0\.0\.1:\d+ failed: .*ECONNREFUSED.*\.$/);
    return true;
  });
  assert.deepEqual(waits, [1000, 2000, 4000]);
});

test("a port that fetch blocks is an error that says so, and is not retried", async () => {
  const { client, waits } = clientOf("http://127.0.0.1:4190");
  await assert.rejects(client.sessions.get("sess_1"), (error) => {
    assert.ok(error instanceof BerthError && !(error instanceof ConnectionError));
    assert.equal(
      error.message,
      "The connection to http://127.0.0.1:4190 failed: 'fetch' blocks port 4190. The service has to listen on another port.",
    );
    return true;
  });
  assert.deepEqual(waits, []);
});

test("no response within the timeout is a TimeoutError, also while the body is read", async (t) => {
  const wire = await startWire(t, (_, response, index) => {
    if (index > 0) response.writeHead(200, { "content-type": "application/json" }).write("{");
  });
  const { client } = clientOf(wire.url, { timeout: 500, maxRetries: 1 });
  await assert.rejects(client.sessions.get("sess_1"), TimeoutError);
  assert.equal(wire.received.length, 2);
});

test("an abort rejects a request and a delay with the signal's reason", async (t) => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const wire = await startWire(t, (_, response, index) => {
    if (index === 0) controller.abort(reason);
    else respondWithError(response, 500, broken);
  });
  const { client } = clientOf(wire.url);
  const call = (signal: AbortSignal) => client.sessions.get("sess_1", { signal }).catch((e: unknown) => e);
  assert.equal(await call(controller.signal), reason);
  assert.equal(await call(controller.signal), reason, "an aborted signal sends nothing");
  assert.equal(wire.received.length, 1);

  const waiting = new AbortController();
  const asleep = sleep(60_000, waiting.signal).catch((e: unknown) => e);
  waiting.abort(reason);
  assert.equal(await asleep, reason);
});

test("an id that would change the path is rejected before anything is sent", async () => {
  const { client } = clientOf("http://127.0.0.1:1");
  for (const id of ["", ".", ".."]) await assert.rejects(client.sessions.get(id), TypeError);
});

function refusal(headers: Record<string, string>): APIError {
  const none = { requestId: null, param: null, code: null, feature: null, availableFrom: null };
  return new APIError({
    status: 503,
    type: "api_error",
    message: "",
    headers: new Headers(headers),
    ...none,
  });
}
