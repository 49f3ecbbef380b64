import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostName, parseHostName } from "../names/host-name.ts";
import { EgressError } from "./egress-error.ts";
import { parsePolicy } from "./policy.ts";

test("limited without hosts: nothing is allowed", () => {
  const policy = parsePolicy({ mode: "limited", hosts: [] });
  assert.equal(policy.allowsName(name("example.com")), false);
  assert.equal(policy.allows(name("example.com"), 443), false);
  assert.deepEqual(policy.ports, []);
});

test("rule: a name → ports 80 and 443; a name with a port → that port only", () => {
  const policy = parsePolicy({ mode: "limited", hosts: ["a.example", "B.example:8443"] });
  const allowed = [80, 443, 8443].map((port) => [
    policy.allows(name("a.example"), port),
    policy.allows(name("b.example"), port),
  ]);
  assert.deepEqual(allowed, [
    [true, false],
    [true, false],
    [false, true],
  ]);
  assert.equal(policy.allowsName(name("b.example")), true);
  assert.deepEqual(policy.ports, [8443]);
});

test("rule: a wildcard → every name below, not the name itself or another suffix", () => {
  const policy = parsePolicy({ mode: "limited", hosts: ["*.example.com"] });
  for (const below of ["a.example.com", "a.b.example.com"])
    assert.equal(policy.allows(name(below), 443), true);
  for (const other of ["example.com", "badexample.com", "example.com.evil.net"]) {
    assert.equal(policy.allows(name(other), 443), false);
  }
});

test("unrestricted: every name at 80 and 443; other ports only where named", () => {
  const policy = parsePolicy({ mode: "unrestricted", hosts: ["a.example:22443"] });
  assert.equal(policy.allows(name("whatever.example"), 443), true);
  assert.equal(policy.allows(name("whatever.example"), 22443), false);
  assert.equal(policy.allows(name("a.example"), 22443), true);
});

test("rule: an invalid host → EgressError", () => {
  for (const host of [
    "*",
    "",
    "*.",
    "10.0.0.1",
    "a.example:0",
    "https://a.example",
    "*.*.example",
    "a.*.example",
  ]) {
    assert.throws(() => parsePolicy({ mode: "limited", hosts: [host] }), EgressError, host);
  }
});

function name(text: string): HostName {
  return parseHostName(text) ?? assert.fail(text);
}
