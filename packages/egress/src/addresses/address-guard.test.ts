import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostName, parseHostName } from "../names/host-name.ts";
import { EgressError } from "../policy/egress-error.ts";
import { createAddressGuard, isPublicAddress } from "./address-guard.ts";

const closed =
  `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 168.63.129.16 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.192 192.0.2.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 64:ff9b::7f00:1
  64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 3fff::1 4000::1`.split(
    /\s+/,
  );

test("isPublicAddress: only addresses of the public internet are public", () => {
  for (const address of closed) assert.equal(isPublicAddress(address), false, address);
  for (const address of [
    "1.1.1.1",
    "100.63.255.255",
    "172.32.0.1",
    "9.255.255.255",
    "2606:4700::1111",
    "2a00::1",
  ]) {
    assert.equal(isPublicAddress(address), true, address);
  }
  for (const text of ["", "example.com", "1.1.1", "1.1.1.1 ", "0x7f000001"])
    assert.equal(isPublicAddress(text), false, text);
});

test("address guard: exceptions are hosts, addresses, either with a port, and networks", () => {
  const guard = createAddressGuard([
    "git.example",
    "web.example:8080",
    "10.1.0.0/16",
    "10.9.9.9",
    "10.8.8.8:99",
    "fd00::/8",
  ]);
  assert.equal(guard(name("git.example"), "127.0.0.1", 1), true);
  assert.equal(guard(name("web.example"), "127.0.0.1", 8080), true);
  assert.equal(guard(name("web.example"), "127.0.0.1", 80), false);
  assert.equal(guard(name("x.example"), "10.1.200.3", 80), true);
  assert.equal(guard(name("x.example"), "10.2.0.1", 80), false);
  assert.equal(guard(name("x.example"), "10.9.9.9", 80), true);
  assert.equal(guard(name("x.example"), "10.8.8.8", 99), true);
  assert.equal(guard(name("x.example"), "10.8.8.8", 98), false);
  assert.equal(guard(name("x.example"), "fd00::5", 80), true);
  assert.equal(guard(name("x.example"), "169.254.169.254", 80), false);
});

test("address guard: a public address of this machine is blocked", () => {
  const own = () => ["1.1.1.1", "2606:4700::1111"];
  const guard = createAddressGuard([], own);
  assert.equal(guard(name("x.example"), "1.1.1.1", 443), false);
  assert.equal(guard(name("x.example"), "2606:4700::1111", 443), false);
  assert.equal(guard(name("x.example"), "1.1.1.2", 443), true);
  assert.equal(createAddressGuard(["x.example"], own)(name("x.example"), "1.1.1.1", 443), true);
});

test("address guard: any other entry → EgressError", () => {
  for (const entry of ["", "*", "10.0.0.0/33", "10.0.0", "10.0.0.1:0", "fd00::/200", "a b", "10.0.0.0/8/8"]) {
    assert.throws(() => createAddressGuard([entry]), EgressError, entry);
  }
});

function name(text: string): HostName {
  return parseHostName(text) ?? assert.fail(text);
}
