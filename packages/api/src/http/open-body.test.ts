// Subject: bodies of requests without a token.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { type TestContext, test } from "node:test";
import { testApp } from "../../test-support/http.ts";
import type { AppDeps } from "../app/app.ts";
import { BodyBudget } from "./body-budget.ts";
import { readBody } from "./read-body.ts";

const OPEN = ["/api/v1/cloud/device_authorizations", "/api/v1/cloud/device_tokens"];

async function listening(t: TestContext, deps: Partial<AppDeps> = {}) {
  const { app } = await testApp(t, { jsonLimit: 4_194_304, ...deps });
  await app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.fastify.server.address() as AddressInfo;
  /** Sends a head and the start of a body. Resolves to the response's status; 0 when there is none. */
  const begin = async (path: string, length: number, body: string, headers = ""): Promise<number> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    t.after(() => socket.destroy());
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n${body}`,
    );
    const [answer] = await Promise.race([once(socket, "data"), once(socket, "close")]);
    socket.destroy();
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(answer))?.[1] ?? 0);
  };
  const post = async (path: string, body: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  };
  return { begin, post };
}

test("without a token: 16 KiB of body, however it is filled", async (t) => {
  const { post, begin } = await listening(t);
  const [first = ""] = OPEN;
  const large = [
    `[${"0,".repeat(2_000_000)}0]`,
    `{"client_name":"${"x".repeat(16_384)}"}`,
    `${" ".repeat(16_384)}{}`,
  ];
  for (const path of OPEN) {
    for (const body of large) {
      const { status, text } = await post(path, body);
      assert.deepEqual([status, /larger than 16384 bytes/.test(text)], [400, true], `${path}: ${text}`);
    }
  }
  const waits = "Expect: 100-continue\r\n";
  assert.equal(await begin(first, 16_385, "", waits), 400);
  assert.equal(await begin(first, 16_384, "", waits), 100);
});

test("without a token: counted before a byte of the body is asked for", async (t) => {
  const { begin } = await listening(t, { addressLimits: { requests_per_second: 0, request_burst: 2 } });
  const statuses: number[] = [];
  for (const path of [...OPEN, ...OPEN])
    statuses.push(await begin(path, 100, "", "Expect: 100-continue\r\n"));
  assert.deepEqual(statuses, [100, 100, 429, 429]);
});

test("stalled bodies without a token hold one share together, and the next is refused", async (t) => {
  const { begin, post } = await listening(t);
  const stalled = Promise.all(
    Array.from({ length: 80 }, (_, n) => begin(OPEN[n % OPEN.length] ?? "", 16_384, " ".repeat(16_000))),
  );
  const statuses = await stalled;
  // Held bodies are cut after ten seconds.
  assert.deepEqual(new Set(statuses), new Set([429, 0]));
  const held = statuses.filter((status) => status === 0).length;
  assert.ok(held <= (64 * 16_384) / 16_000, `${held}`);
  const { status, text } = await post(OPEN[0] ?? "", " ".repeat(16_384));
  assert.deepEqual([status, /not valid JSON/.test(text)], [400, true], "what they held came back");
});

test("a body that is sent too slowly, or beyond its share, ends its request", async () => {
  const body = new PassThrough();
  const request = Object.assign(body, { iterator: body.iterator.bind(body) });
  const slow = readBody(request as never, { limit: 10, timeoutMs: 1 });
  body.write("12345");
  await assert.rejects(slow, { type: "invalid_request_error", message: /sent too slowly/ });
  const other = new PassThrough();
  const share = new BodyBudget({ bytes: 4, perOwner: 4 }).share("a");
  other.end("12345");
  await assert.rejects(readBody(other as never, { limit: 10, share }), { type: "rate_limit_error" });
});
