import { BlockList, isIP } from "node:net";

/** Returns the list of addresses and networks, such as `10.0.0.0/8`. @throws a clause for the operator. */
export function proxyList(networks: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const network of networks) addNetwork(proxies, network);
  return proxies;
}

function addNetwork(proxies: BlockList, network: string): void {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || Number(bits ?? 0) > most)
    throw new Error(
      `must be a list such as 10.0.0.1,10.1.0.0/16, but ${network} is not an address or network`,
    );
  proxies.addSubnet(address, bits === undefined ? most : Number(bits), family === 4 ? "ipv4" : "ipv6");
}
