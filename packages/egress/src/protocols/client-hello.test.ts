import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { connect } from "node:tls";
import fc from "fast-check";
import { readClientHello } from "./client-hello.ts";

const real = await recordHello("host.example.com");

test("client hello: the server name of a real hello is read", () => {
  assert.deepEqual(readClientHello(real), { kind: "hello", serverName: "host.example.com" });
});

test("client hello: without a server name → null", async () => {
  assert.deepEqual(readClientHello(await recordHello(null)), { kind: "hello", serverName: null });
});

test("client hello: every proper prefix → more", () => {
  for (let length = 0; length < real.length; length += 1) {
    assert.equal(readClientHello(real.subarray(0, length)).kind, "more", `${length} bytes`);
  }
});

test("client hello: records of any size read the same", () => {
  for (const size of [1, 2, 3, 7, 100, 10_000]) {
    assert.deepEqual(readClientHello(inRecords(real.subarray(5), size)), {
      kind: "hello",
      serverName: "host.example.com",
    });
  }
});

test("client hello: two names, another name type or trailing bytes → invalid", () => {
  const name = (type: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([type, 0, text.length]), Buffer.from(text)]);
  const list = (...names: Buffer[]): Buffer => {
    const bytes = Buffer.concat(names);
    return Buffer.concat([Buffer.from([0, bytes.length]), bytes]);
  };
  assert.equal(readClientHello(helloWith([list(name(0, "a.example"))])).kind, "hello");
  assert.equal(
    readClientHello(helloWith([list(name(0, "a.example"), name(0, "b.example"))])).kind,
    "invalid",
  );
  assert.equal(
    readClientHello(helloWith([list(name(0, "a.example")), list(name(0, "b.example"))])).kind,
    "invalid",
  );
  assert.equal(readClientHello(helloWith([list(name(1, "a.example"))])).kind, "invalid");
  assert.equal(
    readClientHello(helloWith([Buffer.concat([list(name(0, "a.example")), Buffer.from([0])])])).kind,
    "invalid",
  );
  assert.equal(readClientHello(helloWith([list(name(0, ""))])).kind, "invalid");
});

test("client hello: other protocols → invalid at the first byte", () => {
  for (const text of ["GET / HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n", "\0\0\0\0", "\x80\x2e\x01\x03\x01"]) {
    assert.equal(readClientHello(Buffer.from(text, "latin1")).kind, "invalid");
  }
});

test("client hello: a huge declared length → invalid at once", () => {
  assert.equal(readClientHello(Buffer.from("16030100040100ffff", "hex")).kind, "invalid");
});

test("client hello: arbitrary bytes never throw", () => {
  const mutated = fc
    .array(fc.tuple(fc.nat(real.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const copy = Buffer.from(real);
      for (const [at, value] of changes) copy[at] = value;
      return copy;
    });
  const bytes = fc.oneof(
    mutated,
    fc.uint8Array({ maxLength: 200 }).map((tail) => Buffer.from([0x16, 3, 1, ...tail])),
  );
  fc.assert(
    fc.property(bytes, (candidate) => {
      assert.ok(["more", "invalid", "hello"].includes(readClientHello(candidate).kind));
    }),
    { numRuns: 3000 },
  );
});

async function recordHello(servername: string | null): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const client = connect({ host: "127.0.0.1", port, ...(servername === null ? {} : { servername }) });
  client.on("error", () => {});
  const [socket] = await once(server, "connection");
  const [hello] = await once(socket, "data");
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

function inRecords(handshake: Buffer, size: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < handshake.length; at += size) {
    const part = handshake.subarray(at, at + size);
    records.push(Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

/** Returns a minimal hello with one server name extension for each content. */
function helloWith(contents: readonly Buffer[]): Buffer {
  const extensions = Buffer.concat(
    contents.flatMap((content) => [Buffer.from([0, 0, content.length >> 8, content.length & 255]), content]),
  );
  const fixed = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    Buffer.from([0, 0, 2, 0x13, 0x01, 1, 0]),
  ]);
  const body = Buffer.concat([
    fixed,
    Buffer.from([extensions.length >> 8, extensions.length & 255]),
    extensions,
  ]);
  return inRecords(Buffer.concat([Buffer.from([1, 0, body.length >> 8, body.length & 255]), body]), 16_384);
}
