import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";

interface Request {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** Determines client addresses. Only trusted proxies may state the address of a request. */
export class ClientAddresses {
  readonly #trusted: BlockList;

  /** @param trusted addresses of the proxies. Default: none. */
  constructor(trusted: BlockList = new BlockList()) {
    this.#trusted = trusted;
  }

  /**
   * Returns the client's address, IPv4 without an IPv6 prefix; empty when the connection is closed already.
   * Reads `x-forwarded-for` from its end, where the nearest proxy writes, to the first address that is not a
   * trusted proxy. A client can invent what precedes it.
   */
  of({ socket, headers }: Request): string {
    let address = connectionAddress(socket);
    const hops = String(headers["x-forwarded-for"] ?? "").split(",");
    while (this.#isTrusted(address)) {
      const hop = addressOf(hops.pop() ?? "");
      if (hop === null) break;
      address = hop;
    }
    return address;
  }

  /** Returns whether a trusted proxy forwards the request. */
  isFromProxy({ socket }: Pick<Request, "socket">): boolean {
    return this.#isTrusted(connectionAddress(socket));
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted.check(address, family === 4 ? "ipv4" : "ipv6");
  }
}

/** Returns the peer's address, IPv4 without an IPv6 prefix; empty when the connection is closed already. */
export function connectionAddress({ remoteAddress = "" }: Request["socket"]): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
}

/** Parses an address as proxies write it: perhaps with a port. Returns null when it is invalid. */
function addressOf(hop: string): string | null {
  const text = hop.trim();
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = connectionAddress({ remoteAddress: bracketed ?? dotted ?? text });
  return isIP(address) === 0 ? null : address;
}
