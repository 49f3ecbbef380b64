import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { type Caller, type TestApp, testApp } from "../../test-support/http.ts";

async function listening(t: TestContext): Promise<TestApp & { owner: Caller; port: number }> {
  const app = await testApp(t);
  await app.app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.fastify.server.address() as AddressInfo;
  return { ...app, owner: await app.caller(), port };
}

interface Exchange {
  status: number;
  headers: string;
  body: { type: string; request_id: string; error: { type: string; message: string } };
}

/** Returns the server's response to these bytes, after which it closes. All pieces are written at once. */
async function exchange(port: number, ...pieces: (string | Buffer)[]): Promise<Exchange> {
  const socket = connect(port, "127.0.0.1");
  const received: (Buffer | string)[] = [];
  socket.on("data", (chunk) => received.push(chunk)).on("error", () => undefined);
  for (const piece of pieces) socket.write(piece);
  await once(socket, "close", { signal: AbortSignal.timeout(15_000) });
  const text = received.join("");
  const [headers = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  return { status: Number(headers.split(" ")[1]), headers, body: JSON.parse(body) };
}

const post = "POST /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

describe("protocol errors", () => {
  test("a target in absolute form → its path is used", async (t) => {
    const { port, owner } = await listening(t);
    const get = (target: string) =>
      exchange(
        port,
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`,
      );
    const { status } = await get("http://berth.example/api/v1/cloud/agents?limit=1");
    assert.equal(status, 200);
    const { body } = await get("HTTP://berth.example:80/api/v1/cloud/agents?limit=0");
    assert.equal(body.error.message, "Field 'limit' must be a positive integer.");
    assert.equal((await get("http://berth.example")).status, 200);
    assert.equal((await get("http://berth.example?x")).status, 200);
  });

  test("an encoded body → rejected on every route", async (t) => {
    const { port, owner } = await listening(t);
    const send = (path: string, encoding: string) =>
      exchange(
        port,
        `POST /api/v1/cloud${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\nContent-Encoding: ${encoding}\r\nContent-Length: 16\r\n\r\n{"filename":"a"}`,
      );
    for (const path of ["/agents", "/files"]) {
      const { status, body } = await send(path, "gzip");
      assert.equal(status, 400);
      assert.match(body.error.message, /Content-Encoding/);
    }
    assert.equal((await send("/files", "Identity")).status, 200);
  });

  test("invalid HTTP, broken framing and oversized headers → the error envelope", async (t) => {
    const { port, owner } = await listening(t);
    const authorized = `${post}Authorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\n`;
    for (const [name, bytes, message] of [
      ["no request", "NONSENSE\r\n\r\n", /not valid HTTP/],
      ["another protocol", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", /not valid HTTP/],
      ["TLS", Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), /not valid HTTP/],
      ["two lengths", `${post}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`, /not valid HTTP/],
      [
        "length and chunks",
        `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        /not valid HTTP/,
      ],
      ["bad chunk", `${authorized}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, /not valid HTTP|ended early/],
      ["space before colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", /not valid HTTP/],
      ["bare CR", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", /not valid HTTP/],
      [
        "large headers",
        `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(70_000)}\r\n\r\n`,
        /headers .* too large/,
      ],
      [
        "two hosts",
        "GET /livez HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n",
        /'Host' is given more/,
      ],
      [
        "the same host twice",
        "GET /livez HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n",
        /more than once/,
      ],
      ["two hosts before", "GET /livez HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", /more than once/],
      ["no host", "GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n", /'Host' is missing/],
      [
        "bad escape",
        "GET /api/v1/cloud/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        /percent-encoded/,
      ],
      ["odd expectation", `${authorized}Expect: a-pony\r\nContent-Length: 2\r\n\r\n{}`, /Expect/],
    ] as const) {
      const reply = await exchange(port, bytes);
      assert.equal(reply.status, 400, `${name}: ${reply.headers}`);
      assert.equal(reply.body.type, "error", name);
      assert.equal(reply.body.error.type, "invalid_request_error", name);
      assert.match(reply.body.error.message, message, name);
      const told = reply.headers.toLowerCase();
      for (const header of [
        "x-content-type-options: nosniff",
        "x-frame-options: deny",
        "frame-ancestors 'none'",
      ])
        assert.ok(told.includes(header), `${name}: ${header}`);
      for (const header of ["x-request-id: ", "request-id: "])
        assert.ok(told.includes(header + reply.body.request_id), name);
      assert.ok(told.includes("x-should-retry: false"), name);
    }
    const tunnel = await exchange(port, "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.deepEqual([tunnel.status, tunnel.body.error.type], [404, "not_found_error"]);
    assert.equal((await owner.get("/agents")).status, 200);
  });

  test("two authorization headers → 401, whichever is valid", async (t) => {
    const { port, owner } = await listening(t);
    const good = `Authorization: Bearer ${owner.token}\r\n`;
    for (const both of [`${good}Authorization: Bearer x\r\n`, `authorization: Bearer x\r\n${good}`]) {
      const reply = await exchange(
        port,
        `GET /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${both}\r\n`,
      );
      assert.equal(reply.status, 401);
      assert.match(reply.body.error.message, /more than once/);
    }
  });

  test("a body over the limit → drained, so that the client gets the error", async (t) => {
    const { port, owner } = await listening(t);
    const authorized = `${post}Authorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\n`;
    const size = 400_000;
    const sized = await exchange(port, `${authorized}Content-Length: ${size}\r\n\r\n`, "x".repeat(size));
    assert.match(sized.body.error.message, /larger than 65536 bytes/);
    const chunk = `${(1_000).toString(16)}\r\n${"x".repeat(1_000)}\r\n`;
    const chunked = await exchange(
      port,
      `${authorized}Transfer-Encoding: chunked\r\n\r\n`,
      `${chunk.repeat(100)}0\r\n\r\n`,
    );
    assert.match(chunked.body.error.message, /larger than 65536 bytes/);
  });

  test("Expect: 100-continue → an error before the body is sent, or the body is asked for", async (t) => {
    const { port, owner } = await listening(t);
    const head = (token: string, length: number | string, path = "/agents") =>
      `POST /api/v1/cloud${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    for (const [bytes, status, message] of [
      [head(owner.token, 100_000_000_000), 400, /larger than 65536 bytes/],
      [
        head(owner.token, 100_000_000_000, "/files/file_01h00000000000000000000000/content"),
        404,
        /Unknown path/,
      ],
      [head("nobody", 2), 401, /malformed/],
    ] as const) {
      const reply = await exchange(port, bytes);
      assert.equal(reply.status, status, reply.headers);
      assert.match(reply.body.error.message, message);
      assert.match(reply.headers, /connection: close/i);
    }
    const body = JSON.stringify({ name: "continued", model: "rehearsal/steps" });
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    socket.write(head(owner.token, body.length));
    const [asked] = await once(socket, "data");
    assert.match(String(asked), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write(body);
    const [answered] = await once(socket, "data");
    assert.match(String(answered), /^HTTP\/1\.1 200 OK/);
  });

  test("a body that is cut → nothing is stored", async (t) => {
    const { app, port, owner } = await listening(t);
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `${post}Authorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    await once(app.fastify.server, "request");
    socket.destroy();
    assert.equal((await owner.get("/agents")).status, 200);
  });
});
