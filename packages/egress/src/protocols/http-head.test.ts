import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readRequestHead } from "./http-head.ts";
import { closingHead, requestedHost } from "./http-request.ts";

const read = (text: string): string => {
  const head = readRequestHead(Buffer.from(text, "latin1"));
  if (head.kind !== "head") return head.kind;
  const host = requestedHost(head);
  return host === null ? "invalid" : `${host.name}:${host.port}`;
};

test("request head: the host of the Host header or the target", () => {
  assert.equal(read("GET / HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\nbody"), "example.com:80");
  assert.equal(read("POST /a?b HTTP/1.0\r\nhOsT:example.com:81 \r\n\r\n"), "example.com:81");
  assert.equal(read("GET http://example.com/x HTTP/1.1\r\nHost: example.com\r\n\r\n"), "example.com:80");
  assert.equal(read("GET http://example.com./x HTTP/1.1\r\nHost: EXAMPLE.com\r\n\r\n"), "example.com:80");
  assert.equal(read("OPTIONS * HTTP/1.1\r\nHost: example.com.\r\n\r\n"), "example.com:80");
});

test("request head: incomplete → more; malformed or ambiguous → invalid", () => {
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
    "GET http://a.example:81/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET https://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET a.example HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: +3\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "GET / HTTP/1.0\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a.example\r\nUpgrade: h2c\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\n",
    "CONNECT b.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET / HTTP/2.0\r\nHost: a.example\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "get / HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "\r\nGET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
  ];
  for (const text of wrong) assert.equal(read(text), "invalid", JSON.stringify(text));
});

test("request head: arbitrary bytes never throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      readRequestHead(
        Buffer.concat([Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n"), bytes, Buffer.from("\r\n\r\n")]),
      );
    }),
  );
});

test("request head: hostile lines are read in linear time", () => {
  const many = (text: string): string => text.repeat(30_000 / text.length);
  for (const value of [
    many(" "),
    `x${many(" ")}x`,
    many(" \t"),
    `${many(" ")}\0`,
    `x${many("\t")}\0`,
    many("x "),
  ]) {
    const before = process.threadCpuUsage();
    read(`GET / HTTP/1.1\r\nHost: a.example\r\nX-Y: ${value}\r\n\r\n`);
    read(`GET ${value} HTTP/1.1\r\nHost: ${value}\r\n\r\n`);
    const took = process.threadCpuUsage(before).user / 1_000;
    assert.ok(took < 200, `${JSON.stringify(value.slice(0, 3))} took ${took.toFixed()} ms`);
  }
});

test("closingHead: a path as target and Connection: close", () => {
  const sent = (text: string): string => {
    const head = readRequestHead(Buffer.from(`${text}\r\n\r\nbody`));
    assert.ok(head.kind === "head");
    assert.equal(head.length, text.length + 4);
    return closingHead(head).toString("latin1");
  };
  assert.equal(
    sent("POST /x HTTP/1.1\r\nHost: a.example\r\nCONNECTION: keep-alive\r\nKeep-Alive: 5\r\nX: 1"),
    "POST /x HTTP/1.1\r\nHost: a.example\r\nX: 1\r\nConnection: close\r\n\r\n",
  );
  assert.match(sent("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket"), /Connection: upgrade, close/);
  const proxied = sent("GET http://a?b#c HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic x");
  assert.equal(proxied, "GET /?b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
});
