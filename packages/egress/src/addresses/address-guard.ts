import { BlockList, isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { type HostName, parseHostPort, parsePort } from "../names/host-name.ts";
import { EgressError } from "../policy/egress-error.ts";

/**
 * IPv4 networks outside the public internet: own, private, shared, loopback, link-local, documentation,
 * multicast and reserved ones. 168.63.129.16 is a public address, but on Azure it is a service of the machine
 * itself.
 */
const PRIVATE_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * IPv6 networks in the public range 2000::/3 that are not public: protocols and Teredo, documentation, 6to4.
 */
const PRIVATE_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const PRIVATE = new BlockList();
for (const network of [...PRIVATE_IPV4, ...PRIVATE_IPV6]) addNetwork(PRIVATE, network);
const GLOBAL_UNICAST = new BlockList();
addNetwork(GLOBAL_UNICAST, "2000::/3");

/** Returns whether an address is on the public internet. IPv6 forms that carry an IPv4 address are not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE.check(address, "ipv4");
  return isIP(address) === 6 && GLOBAL_UNICAST.check(address, "ipv6") && !PRIVATE.check(address, "ipv6");
}

/** Returns whether an IP address is a loopback address. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** Returns whether `name`, resolved to `address`, may be dialled at `port`. */
export type AddressGuard = (name: HostName, address: string, port: number) => boolean;

/**
 * Creates a guard that permits public addresses, except those of this machine, since connections to them
 * would bypass its firewall. It permits other addresses only where `allowPrivate` lists them: a host name,
 * `name:port`, an address, `address:port` (IPv4), or a network such as `10.1.0.0/16`.
 * @throws EgressError for any other entry.
 */
export function createAddressGuard(
  allowPrivate: readonly string[],
  own: () => readonly string[] = addressesOfThisMachine,
): AddressGuard {
  const exceptions = allowPrivate.map(parseException);
  return (name, address, port) =>
    (isPublicAddress(address) && !own().includes(address)) ||
    exceptions.some((matches) => matches(name, address, port));
}

function addressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));
}

function parseException(entry: string): AddressGuard {
  const host = parseHostPort(entry);
  if (host !== null) return (name, _, port) => name === host.name && (host.port ?? port) === port;
  const [, network = entry, portText] = /^([0-9.]+):([0-9]+)$/.exec(entry) ?? [];
  const list = new BlockList();
  const onlyPort = portText === undefined ? null : parsePort(portText);
  if (!addNetwork(list, network) || (portText !== undefined && onlyPort === null)) {
    throw new EgressError(`${JSON.stringify(entry)} is not a host, an address or a network`);
  }
  return (_, address, port) =>
    (onlyPort ?? port) === port && list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

/** Adds an address or network to a list. Returns false when the text is neither. */
export function addNetwork(list: BlockList, text: string): boolean {
  const [address = "", bits, excess] = text.split("/");
  const version = isIP(address);
  if (version === 0 || excess !== undefined || (bits !== undefined && !/^[0-9]{1,3}$/.test(bits)))
    return false;
  const prefix = bits === undefined ? maxPrefix(version) : Number(bits);
  if (prefix > maxPrefix(version)) return false;
  list.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
  return true;
}

function maxPrefix(version: number): number {
  return version === 4 ? 32 : 128;
}
