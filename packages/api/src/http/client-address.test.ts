import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ClientAddresses } from "./client-address.ts";
import { proxyList } from "./proxy-list.ts";

const from = (remoteAddress: string, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
});

test("client address: without trusted proxies it is the connection's, whatever a header says", () => {
  const clients = new ClientAddresses();
  assert.equal(clients.of(from("::ffff:10.0.0.1", "1.2.3.4")), "10.0.0.1");
  assert.equal(clients.of(from("", "1.2.3.4")), "");
});

test("client address: the last one that is no trusted proxy", () => {
  const clients = new ClientAddresses(proxyList(["10.0.0.0/8", "2001:db8::/32", "127.0.0.1"]));
  const cases: Array<[connection: string, header: string | undefined, client: string]> = [
    ["10.0.0.1", "1.2.3.4", "1.2.3.4"],
    ["::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"],
    ["10.0.0.1", "9.9.9.9, 1.2.3.4, 10.0.0.2", "1.2.3.4"],
    ["2001:db8::1", "[2001:db9::5]:4711", "2001:db9::5"],
    ["127.0.0.1", "1.2.3.4:5678", "1.2.3.4"],
    ["1.2.3.4", "9.9.9.9", "1.2.3.4"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"],
    ["10.0.0.1", "1.2.3.4\u0000", "10.0.0.1"],
  ];
  for (const [connection, header, client] of cases)
    assert.equal(clients.of(from(connection, header)), client, `${connection} ${header}`);
});

test("client address: nothing that a client writes changes what its proxy adds", () => {
  const clients = new ClientAddresses(proxyList(["10.0.0.0/8"]));
  fc.assert(
    fc.property(fc.string(), (written) => clients.of(from("10.0.0.1", `${written}, 1.2.3.4`)) === "1.2.3.4"),
  );
});
