import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { type HostName, isLocalhost, parseHostName } from "../names/host-name.ts";

/** Resolves a name to IPv4 and IPv6 addresses as text. Rejects or returns no address when it has none. */
export type Resolve = (name: HostName) => Promise<readonly string[]>;

/** Time and number of the queries to each name server. With one server, a name that it does not answer takes 6 s. */
const QUERIES = { timeout: 2_000, tries: 2 };

/**
 * Creates a `Resolve` that asks the machine's hosts file, then its name servers, IPv4 first. Names at and below
 * `localhost` are loopback (RFC 6761), whatever the machine is configured to return. Names are fully
 * qualified: the machine's search domains are not appended. Lookups share no threads, since getaddrinfo runs
 * two at a time in a process, and names that a stranger's server leaves unanswered would hold up all others.
 *
 * @param servers Addresses of name servers, with a port if it is not 53. Default: those of `/etc/resolv.conf`.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  return async (name) => {
    if (isLocalhost(name)) return ["127.0.0.1", "::1"];
    const listed = await addressesInHostsFile(name);
    if (listed.length > 0) return listed;
    // A new one reads the machine's name servers as they are now.
    const resolver = new Resolver(QUERIES);
    if (servers !== undefined) resolver.setServers(servers);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  };
}

export const resolveBySystem: Resolve = createResolve();

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
