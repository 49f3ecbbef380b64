import assert from "node:assert/strict";
import { test } from "node:test";
import { fullNetwork, networkOf } from "./networks-of.ts";

/** Opens as many requests as a client of each address may have. Returns the total number. */
function fill(addresses: readonly string[], most: number): number {
  const open = new Map<string, number>();
  const listed = () => [...open].map(([network, count]) => ({ network, count }));
  for (const address of addresses)
    while (fullNetwork(listed(), address, most) === null)
      open.set(networkOf(address), (open.get(networkOf(address)) ?? 0) + 1);
  return [...open.values()].reduce((sum, count) => sum + count, 0);
}

const networks = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `2001:db8:${prefix}:${(n * 256).toString(16)}::1`);

test("many networks of one customer have together twice what one client may have", () => {
  assert.equal(fill(["2001:db8::1", "2001:db8::2"], 50), 50);
  assert.equal(fill(["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:ff::1"], 50), 75);
  assert.equal(fill(networks("0", 20), 50), 100);
  assert.equal(fill([...networks("0", 20), ...networks("1", 20)], 50), 200, "two customers");
  assert.equal(fill(["192.0.2.1", "192.0.2.2"], 50), 100, "IPv4");
});

test("the network that is full is told", () => {
  const open = [{ network: "2001:db8:0:1", count: 80 }];
  assert.deepEqual(fullNetwork(open, "2001:db8:0:1::9", 50), { isWide: false, most: 50 });
  assert.deepEqual(fullNetwork(open, "2001:db8:0:2::9", 50), { isWide: true, most: 75 });
  assert.equal(fullNetwork(open, "2001:db8:0:200::9", 50), null);
  assert.equal(fullNetwork([{ network: "unknown", count: 80 }], "::1", 50), null);
});
