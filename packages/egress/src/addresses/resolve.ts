import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { type HostName, isLocalhost, parseHostName } from "../names/host-name.ts";

/** Resolves a name to IPv4 and IPv6 addresses as text. Rejects or returns no address when it has none. */
export type Resolve = (name: HostName) => Promise<readonly string[]>;

/**
 * Resolves with the machine's hosts file and resolver. Names at and below `localhost` are loopback (RFC
 * 6761), whatever the machine is configured to return. The trailing dot marks the name as fully qualified, so
 * that the machine's search domains are not appended.
 */
export const resolveBySystem: Resolve = async (name) => {
  if (isLocalhost(name)) return ["127.0.0.1", "::1"];
  const listed = await addressesInHostsFile(name);
  if (listed.length > 0) return listed;
  const found = await lookup(`${name}.`, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * Returns the addresses that a hosts file lists for a name, in file order. Returns an empty list when there
 * are none or the file cannot be read.
 */
export async function addressesInHostsFile(name: HostName, file = "/etc/hosts"): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((one) => parseHostName(one) === name) ? [address] : [];
  });
}
