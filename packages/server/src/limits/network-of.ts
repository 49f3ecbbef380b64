import { isIPv6 } from "node:net";

/** The first 64 bits of an IPv6 address, which are one customer's; an IPv4 address as it is. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.replace(/%.*/, "").split("::");
  const groups = before === "" ? [] : before.split(":");
  const behind = after ? after.split(":") : [];
  const zeros = after === undefined ? 0 : 8 - groups.length - behind.length;
  const all = [...groups, ...Array.from({ length: zeros }, () => "0"), ...behind];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
