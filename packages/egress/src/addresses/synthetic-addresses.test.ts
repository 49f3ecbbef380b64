import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostName, parseHostName } from "../names/host-name.ts";
import { SyntheticAddresses } from "./synthetic-addresses.ts";

const name = (index: number): HostName => parseHostName(`n${index}.example`) ?? assert.fail();

test("synthetic addresses: a name keeps its address, and an address has one name", () => {
  const addresses = new SyntheticAddresses();
  const given = Array.from({ length: 1000 }, (_, index) => addresses.addressOf(name(index)));
  assert.equal(new Set(given).size, 1000);
  assert.deepEqual([given[0], given[255]], ["198.18.0.1", "198.18.1.0"]);
  for (const [index, address] of given.entries()) {
    assert.equal(addresses.addressOf(name(index)), address);
    assert.equal(addresses.nameOf(address), name(index));
  }
  assert.equal(addresses.nameOf("198.19.0.1"), null);
});

test("synthetic addresses: too many names → the least recently used is evicted, and no address has two names", () => {
  const addresses = new SyntheticAddresses();
  const kept = addresses.addressOf(name(-1 >>> 0));
  const first = addresses.addressOf(name(0));
  const live = new Map<string, HostName>();
  for (let index = 1; index < 140_000; index += 1) {
    if (index % 5_000 === 0) assert.equal(addresses.addressOf(name(-1 >>> 0)), kept);
    const address = addresses.addressOf(name(index));
    if (address === kept) assert.fail("it is taken");
    live.set(address, name(index));
  }
  assert.equal(addresses.nameOf(kept), name(-1 >>> 0));
  assert.notEqual(addresses.nameOf(first), name(0));
  const remembered = [...live].filter(([address, one]) => addresses.nameOf(address) === one);
  assert.equal(remembered.length, 9_999);
});
