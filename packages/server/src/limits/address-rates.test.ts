import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { AddressRates } from "./address-rates.ts";

const LIMITS = { requests_per_second: 1, request_burst: 2 };
const token = () => randomBytes(32);

function refuses(rates: AddressRates, address: string, hash = token()): boolean {
  try {
    rates.take(address, hash);
    return false;
  } catch {
    return true;
  }
}

test("unknown tokens of one address: the burst is looked up, then one a second", () => {
  let now = 0;
  const rates = new AddressRates(LIMITS, () => now);
  const seen = Array.from({ length: 4 }, () => refuses(rates, "192.0.2.1"));
  assert.deepEqual(seen, [false, false, true, true]);
  assert.equal(refuses(rates, "192.0.2.2"), false, "another address");
  now += 1_000;
  assert.deepEqual([refuses(rates, "192.0.2.1"), refuses(rates, "192.0.2.1")], [false, true]);
  assert.throws(() => rates.take("192.0.2.1", token()), {
    type: "rate_limit_error",
    message: "The client address's limit of 1 requests a second with unknown tokens is reached.",
    headers: { "retry-after": "1", "x-should-retry": "true" },
  });
});

test("an accepted token of the same address is never refused", () => {
  const rates = new AddressRates(LIMITS, () => 0);
  const mine = token();
  assert.equal(refuses(rates, "192.0.2.1", mine), false);
  rates.accept(mine);
  while (!refuses(rates, "192.0.2.1"));
  for (let more = 0; more < 100; more += 1) assert.equal(refuses(rates, "192.0.2.1", mine), false);
});

test("IPv6: addresses of one network of 64 bits count together, however they are written", () => {
  const rates = new AddressRates({ requests_per_second: 0, request_burst: 1 }, () => 0);
  assert.equal(refuses(rates, "2001:db8::1"), false);
  for (const same of ["2001:db8::2", "2001:0db8:0:0:1:2:3:4", "2001:db8:0:0::", "2001:db8:0::7"])
    assert.equal(refuses(rates, same), true, same);
  for (const other of ["2001:db8:0:1::1", "::1", "fe80::1", "2001:db8:1::1"])
    assert.equal(refuses(rates, other), false, other);
});

test("without a limit nothing is refused", () => {
  const rates = new AddressRates();
  for (let more = 0; more < 1_000; more += 1) assert.equal(refuses(rates, "192.0.2.1"), false);
});
