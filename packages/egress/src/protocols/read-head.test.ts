import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { Client } from "./client.ts";
import { readHead } from "./read-head.ts";

const LIMITS = { bytes: 16_384, milliseconds: 60_000 };
const HEAD = `GET / HTTP/1.1\r\nX: ${"a".repeat(2_000)}\r\n\r\n`;

/** Returns a parser that counts the bytes that it parses. */
function counting() {
  const counted = { bytes: 0 };
  const parse = (bytes: Buffer) => {
    counted.bytes += bytes.length;
    return { kind: bytes.includes("\r\n\r\n") ? "whole" : "more" };
  };
  return { counted, parse };
}

const clientOf = (stream: PassThrough) => stream as unknown as Client;

test("head: single bytes → parsed some times, not for each byte, and put back whole", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const stream = new PassThrough();
  const { counted, parse } = counting();
  const read = readHead(clientOf(stream), parse, LIMITS);
  for (const byte of Buffer.from(`${HEAD}body`)) {
    stream.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  t.mock.timers.tick(5);
  assert.deepEqual(await read, { kind: "whole" });
  assert.ok(counted.bytes < 20 * HEAD.length, `${counted.bytes} bytes were parsed`);
  stream.end();
  assert.equal(Buffer.concat(await stream.toArray()).toString(), `${HEAD}body`);
});

test("head: its last bytes come alone → taken though nothing follows, also at the end of the stream", async () => {
  for (const isEnded of [false, true]) {
    const stream = new PassThrough();
    const read = readHead(clientOf(stream), counting().parse, LIMITS);
    stream.write(HEAD.slice(0, -2));
    await new Promise(setImmediate);
    stream.write("\r\n");
    if (isEnded) stream.end();
    assert.deepEqual(await read, { kind: "whole" });
  }
});

test("head: more than the limit → null", async () => {
  const stream = new PassThrough();
  const read = readHead(clientOf(stream), counting().parse, LIMITS);
  for (let sent = 0; sent <= LIMITS.bytes; sent += 512) {
    stream.write("a".repeat(512));
    await new Promise(setImmediate);
  }
  assert.equal(await read, null);
});
