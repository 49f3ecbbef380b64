import { isIPv6 } from "node:net";

/** Addresses that may belong to one client. */
export interface Network {
  id: string;
  /** Multiple of a single client's limit that all of these addresses have together. */
  factor: number;
}

/**
 * Returns the networks of a client's address that are counted, the narrowest first. An IPv4 address is one
 * network. An IPv6 customer has 64, 56 or 48 bits, so a client with many 64-bit networks also counts in the
 * wider ones.
 */
export function networksOf(address: string): readonly [Network, ...Network[]] {
  if (!isIPv6(address)) return [{ id: address, factor: 1 }];
  const groups = groupsOf(address);
  const hex = (numbers: readonly number[]) => numbers.map((group) => group.toString(16)).join(":");
  const [, , , fourth = 0] = groups;
  return [
    { id: hex(groups.slice(0, 4)), factor: 1 },
    { id: `${hex([...groups.slice(0, 3), fourth & 0xff00])}/56`, factor: 1.5 },
    { id: `${hex(groups.slice(0, 3))}/48`, factor: 2 },
  ];
}

/** Returns the narrowest network: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  return networksOf(address)[0].id;
}

/**
 * Returns the network that has no room for another request of a client, or null.
 * @param open Number of open requests for each result of `networkOf`.
 * @param most Limit of one client.
 */
export function fullNetwork(
  open: readonly { network: string; count: number }[],
  address: string,
  most: number,
): { isWide: boolean; most: number } | null {
  const counts = new Map<string, number>();
  for (const { network, count } of open)
    for (const { id } of networksOf(network.includes(":") ? `${network}::` : network))
      counts.set(id, (counts.get(id) ?? 0) + count);
  const full = networksOf(address).find(({ id, factor }) => (counts.get(id) ?? 0) >= most * factor);
  return full === undefined ? null : { isWide: full.factor > 1, most: most * full.factor };
}

function groupsOf(address: string): number[] {
  const [before = "", after] = address.replace(/%.*/, "").split("::");
  const groups = before === "" ? [] : before.split(":");
  const behind = after ? after.split(":") : [];
  const zeros = after === undefined ? 0 : 8 - groups.length - behind.length;
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...behind];
  return all.slice(0, 4).map((group) => Number.parseInt(group, 16));
}
