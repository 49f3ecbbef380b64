import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeQuery, encodeResponse } from "./dns-message.ts";
import { respondToQuery } from "./respond-to-query.ts";

const question = (name: string, type: number): Buffer => {
  const labels = name
    .split(".")
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")]));
  const head = Buffer.from([0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])]);
};

test("DNS: an allowed name → its address, with the question echoed byte for byte", () => {
  const message = question("ExAmple.com", 1);
  const answer = respondToQuery(
    message,
    (name) => (name === "example.com" ? "198.18.1.2" : null),
    assert.fail,
  );
  const expected =
    "123485800001000100000000074578416d706c6503636f6d0000010001c00c000100010000003c0004c6120102";
  assert.equal(answer?.toString("hex"), expected);
});

test("DNS: other record types → no records; other names → NXDOMAIN", () => {
  const allowed = respondToQuery(question("example.com", 28), () => "198.18.0.1", assert.fail);
  assert.deepEqual([allowed?.readUInt16BE(2), allowed?.readUInt16BE(6)], [0x8580, 0]);
  const denied: string[] = [];
  const refused = respondToQuery(
    question("evil.net", 1),
    () => null,
    (name) => denied.push(name),
  );
  assert.deepEqual([refused?.readUInt16BE(2), refused?.readUInt16BE(6)], [0x8583, 0]);
  assert.deepEqual(denied, ["evil.net"]);
});

test("DNS: the sandbox's own names → loopback, and no denial", () => {
  for (const name of ["session", "SESSION", "localhost"]) {
    const [four, six] = [1, 28].map((type) => respondToQuery(question(name, type), () => null, assert.fail));
    assert.deepEqual([four?.readUInt16BE(2), four?.subarray(-4).join(".")], [0x8580, "127.0.0.1"]);
    assert.deepEqual([six?.readUInt16BE(2), six?.readUInt16BE(6)], [0x8580, 0]);
  }
});

test("DNS: a name with hostile bytes → denied, reported in printable ASCII", () => {
  const denied: string[] = [];
  respondToQuery(
    question("exa\0m\xffple\n.com", 1),
    () => "198.18.0.1",
    (name) => denied.push(name),
  );
  assert.deepEqual(denied, ["exa?m?ple?.com"]);
});

test("DNS: a service name of an allowed host → NXDOMAIN without a denial", () => {
  const denied: string[] = [];
  const ask = (name: string): number | undefined => {
    const addressFor = (host: string) => (host === "example.com" ? "198.18.0.1" : null);
    const answer = respondToQuery(question(name, 33), addressFor, (host) => denied.push(host));
    return answer === null ? undefined : answer.readUInt16BE(2) & 15;
  };
  assert.deepEqual(
    ["_http._tcp.example.com", "_http._tcp.evil.com", "http._tcp.example.com"].map(ask),
    [3, 3, 3],
  );
  assert.deepEqual(denied, ["_http._tcp.evil.com", "http._tcp.example.com"]);
});

test("DNS: a dot inside a label does not separate labels", () => {
  const message = question("evil/example.com", 1);
  message[message.indexOf("/")] = ".".charCodeAt(0);
  const denied: string[] = [];
  respondToQuery(
    message,
    () => "198.18.0.1",
    (name) => denied.push(name),
  );
  assert.deepEqual(denied, ["evil\\.example.com"]);
});

test("DNS: a message that is not a query with one question → no response", () => {
  const sound = question("example.com", 1);
  const with2 = (at: number, value: number): Buffer => {
    const copy = Buffer.from(sound);
    copy.writeUInt16BE(value, at);
    return copy;
  };
  const responses = with2(2, 0x8180);
  for (const message of [
    Buffer.alloc(0),
    sound.subarray(0, 20),
    responses,
    with2(4, 2),
    with2(4, 0),
    with2(2, 0x2800),
  ]) {
    assert.equal(decodeQuery(message), null);
  }
  assert.equal(decodeQuery(with2(12, 0xc00c)), null, "a compressed name");
});

test("DNS: arbitrary bytes never throw, and every decoded query can be responded to", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(fc.nat(40), fc.nat(255)).map(([at, value]) => {
      const message = question("some.host.example.com", 1);
      message[at % message.length] = value;
      return message;
    }),
  );
  fc.assert(
    fc.property(bytes, (message) => {
      const query = decodeQuery(Buffer.from(message));
      if (query !== null) assert.ok(encodeResponse(query, 0, "198.18.0.1").length > 12);
    }),
    { numRuns: 2000 },
  );
});
