import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { readRequestHead } from "./http-head.ts";
import { requestBody } from "./request-body.ts";

/**
 * Returns what passes of the bytes after this head, received in these pieces, or null when the stream fails.
 */
async function passed(headers: string, pieces: readonly string[], answered = ""): Promise<string | null> {
  const head = readRequestHead(Buffer.from(`POST / HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n`));
  assert.ok(head.kind === "head");
  const answer = new PassThrough();
  const body = requestBody(head, answer);
  answer.end(answered);
  const chunks: Buffer[] = [];
  body.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = once(body, "end").then(
    () => Buffer.concat(chunks).toString("latin1"),
    () => null,
  );
  for (const piece of pieces) if (!body.destroyed) body.write(Buffer.from(piece, "latin1"));
  if (!body.destroyed) body.end();
  return await ended;
}

const second = "GET /second HTTP/1.1\r\nHost: evil.example\r\n\r\n";
const chunked = "Transfer-Encoding: chunked\r\n";

test("request body: no body → nothing passes", async () => {
  assert.equal(await passed("", [second]), "");
  assert.equal(await passed("Content-Length: 0\r\n", [second]), "");
});

test("request body: Content-Length → exactly that many bytes pass", async () => {
  assert.equal(await passed("Content-Length: 5\r\n", ["abc", `de${second}`, second]), "abcde");
});

test("request body: upgrade → everything passes after status 101, otherwise nothing", async () => {
  const upgrade = (answer: string) => passed("Upgrade: websocket\r\n", ["frames", second], answer);
  assert.equal(await upgrade("HTTP/1.1 101 Switching Protocols\r\n\r\n"), `frames${second}`);
  for (const answer of ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 1010\r\n\r\n", "HTTP/1.1 100 101 \r\n\r\n", "x"])
    assert.equal(await upgrade(answer), "", answer);
});

test("request body: chunked → passes to the end of the trailer, however it is split", async () => {
  const body = "3\r\nabc\r\nA;name=value\r\n0123456\r\n9\r\n0\r\nTrailer: x\r\n\r\n";
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(body.length + second.length), { maxLength: 6 }), async (cuts) => {
      const text = body + second;
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      assert.equal(await passed(chunked, pieces), body);
    }),
  );
});

test("request body: invalid chunk → the stream fails", async () => {
  for (const body of [
    "x\r\nabc\r\n",
    "3\nabc\r\n0\r\n\r\n",
    "3\r\nabcd\r\n0\r\n\r\n",
    "-1\r\n\r\n",
    "0x3\r\nabc\r\n",
    "\r\n\r\n",
    "3 \r\r\nabc\r\n",
    "fffffffffffff\r\n",
    `${"0".repeat(9_000)}`,
    `0\r\nX: ${"y".repeat(9_000)}\r\n\r\n`,
  ]) {
    assert.equal(await passed(chunked, [body]), null, body.slice(0, 20));
  }
});
