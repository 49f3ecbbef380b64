import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { AddressRates } from "./address-rates.ts";
import { RequestRates } from "./request-rates.ts";

const LIMITS = { requests_per_second: 1, request_burst: 2 };
const token = () => randomBytes(32);

const REJECTED = new Error("rejected");

/** Returns whether an invalid token is rejected before it is looked up. */
async function refuses(rates: AddressRates, address: string, hash = token()): Promise<boolean> {
  const error: unknown = await rates
    .lookUp(address, hash, () => Promise.reject(REJECTED))
    .catch((one) => one);
  return error !== REJECTED;
}

test("unknown tokens of one address: the burst is looked up, then one a second", async () => {
  let now = 0;
  const rates = new AddressRates(LIMITS, new RequestRates(() => now));
  const seen: boolean[] = [];
  for (let request = 0; request < 4; request += 1) seen.push(await refuses(rates, "192.0.2.1"));
  assert.deepEqual(seen, [false, false, true, true]);
  assert.equal(await refuses(rates, "192.0.2.2"), false, "another address");
  now += 1_000;
  assert.deepEqual([await refuses(rates, "192.0.2.1"), await refuses(rates, "192.0.2.1")], [false, true]);
  await assert.rejects(
    rates.lookUp("192.0.2.1", token(), async () => null),
    {
      type: "rate_limit_error",
      message: "The client address's limit of 1 requests a second with unknown tokens is reached.",
      headers: { "retry-after": "1", "x-should-retry": "true" },
    },
  );
});

test("an accepted token of the same address is never refused", async () => {
  const rates = new AddressRates(LIMITS, new RequestRates(() => 0));
  const mine = token();
  await rates.lookUp("192.0.2.1", mine, async () => null);
  while (!(await refuses(rates, "192.0.2.1")));
  for (let more = 0; more < 100; more += 1) assert.equal(await refuses(rates, "192.0.2.1", mine), false);
});

test("many first requests with one token: counted as one if it is accepted, and each if it is rejected", async () => {
  const rates = new AddressRates(LIMITS, new RequestRates(() => 0));
  const answer = Promise.withResolvers<string>();
  const mine = token();
  const all = Promise.all(
    Array.from({ length: 20 }, () => rates.lookUp("192.0.2.1", mine, () => answer.promise)),
  );
  answer.resolve("accepted");
  assert.deepEqual(new Set(await all), new Set(["accepted"]));
  const theirs = token();
  const refused = await Promise.all(Array.from({ length: 20 }, () => refuses(rates, "192.0.2.1", theirs)));
  assert.equal(refused.filter((one) => !one).length, LIMITS.request_burst - 1);
});

test("IPv6: addresses of one network of 64 bits count together, however they are written", async () => {
  const rates = new AddressRates({ requests_per_second: 0, request_burst: 1 }, new RequestRates(() => 0));
  assert.equal(await refuses(rates, "2001:db8::1"), false);
  for (const same of ["2001:db8::2", "2001:0db8:0:0:1:2:3:4", "2001:db8:0:0::", "2001:db8:0::7"])
    assert.equal(await refuses(rates, same), true, same);
  for (const other of ["2001:db8:0:100::1", "::1", "fe80::1", "2001:db8:1::1"])
    assert.equal(await refuses(rates, other), false, other);
});

test("IPv6: who has many networks of 64 bits is counted by those of 56 and 48, too", async () => {
  const rates = new AddressRates({ requests_per_second: 0, request_burst: 10 }, new RequestRates(() => 0));
  const seen = async (addresses: readonly string[]) => {
    let accepted = 0;
    for (const address of addresses) if (!(await refuses(rates, address))) accepted += 1;
    return accepted;
  };
  const of = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `2001:db8:${prefix}${n.toString(16).padStart(2, "0")}::1`);
  assert.equal(await seen(of("0:1", 200)), 15, "of 56 bits");
  assert.equal(await seen(of("0:2", 200)), 5, "of 48 bits, with those before");
  assert.equal(await seen(of("0:3", 200)), 0);
  assert.equal(await seen(of("1:1", 200)), 15, "another network of 48 bits");
});

test("without a limit nothing is refused", async () => {
  const rates = new AddressRates();
  for (let more = 0; more < 1_000; more += 1) assert.equal(await refuses(rates, "192.0.2.1"), false);
});
