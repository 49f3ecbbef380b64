import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { closingRequest, readHttpHead } from "./http-head.ts";

const read = (text: string): string => {
  const head = readHttpHead(Buffer.from(text, "latin1"));
  return head.kind === "head" ? head.host : head.kind;
};

test("reads the Host header", () => {
  assert.equal(read("GET / HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\nbody"), "example.com");
  assert.equal(read("POST /a?b HTTP/1.0\r\nhOsT:example.com:81 \r\n\r\n"), "example.com:81");
  assert.equal(read("GET http://example.com/x HTTP/1.1\r\nHost: example.com\r\n\r\n"), "example.com");
});

test("an unfinished head needs more, and each wrong one is invalid", () => {
  assert.equal(read(""), "more");
  assert.equal(read("GET / HTTP/1.1\r\nHost: example.com\r\n"), "more");
  const wrong = [
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : a.example\r\n\r\n",
    "GET / HTTP/1.1\nHost: a.example\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\nHost: b.example\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\0\r\n\r\n",
    "GET http://b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET http://a.example@b.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "CONNECT b.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET / HTTP/2.0\r\nHost: a.example\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "get / HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "\r\nGET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
  ];
  for (const text of wrong) assert.equal(read(text), "invalid", JSON.stringify(text));
});

test("no bytes make it throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      readHttpHead(
        Buffer.concat([Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n"), bytes, Buffer.from("\r\n\r\n")]),
      );
    }),
  );
});

test("hostile lines are read in a moment", () => {
  const many = (text: string): string => text.repeat(30_000 / text.length);
  for (const value of [
    many(" "),
    `x${many(" ")}x`,
    many(" \t"),
    `${many(" ")}\0`,
    `x${many("\t")}\0`,
    many("x "),
  ]) {
    const started = performance.now();
    read(`GET / HTTP/1.1\r\nHost: a.example\r\nX-Y: ${value}\r\n\r\n`);
    read(`GET ${value} HTTP/1.1\r\nHost: ${value}\r\n\r\n`);
    const took = performance.now() - started;
    assert.ok(took < 200, `${JSON.stringify(value.slice(0, 3))} took ${took.toFixed()} ms`);
  }
});

test("a request is sent on with a head that ends the connection after it", () => {
  const body = Buffer.from([0, 255, 13, 10, 13, 10, 1]);
  const sent = (head: string) => closingRequest(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]));
  const plain = sent(
    "POST /x HTTP/1.1\r\nHost: a.example\r\nCONNECTION: keep-alive\r\nKeep-Alive: 5\r\nX: 1",
  );
  assert.equal(
    plain.subarray(0, -body.length).toString(),
    "POST /x HTTP/1.1\r\nHost: a.example\r\nX: 1\r\nConnection: close\r\n\r\n",
  );
  assert.deepEqual(plain.subarray(-body.length), body);
  assert.match(
    sent("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket").toString("latin1"),
    /Connection: upgrade, close/,
  );
});
