import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";

interface Request {
  socket: { remoteAddress?: string | undefined };
  headers: IncomingHttpHeaders;
}

/** Where requests come from. A proxy that the operator trusts says it of the connections that it passes on, and nobody else. */
export class ClientAddresses {
  readonly #trusted: BlockList;

  /** @param trusted the proxies. Default: none. */
  constructor(trusted: BlockList = new BlockList()) {
    this.#trusted = trusted;
  }

  /**
   * The address of the client, IPv4 in its own form; empty when the connection is gone already. `x-forwarded-for` is read from its
   * end, where the nearest proxy writes, up to the first address that is no trusted proxy: what is before, a client can invent.
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

  /** Whether a trusted proxy passes the request on. */
  isFromProxy({ socket }: Pick<Request, "socket">): boolean {
    return this.#isTrusted(connectionAddress(socket));
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted.check(address, family === 4 ? "ipv4" : "ipv6");
  }
}

/** The address at the other end of the connection; IPv4 in its own form. Empty when the connection is gone already. */
export function connectionAddress({ remoteAddress = "" }: Request["socket"]): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
}

/** An address as proxies write it: perhaps with a port, IPv6 then in brackets. Null when it is none. */
function addressOf(hop: string): string | null {
  const text = hop.trim();
  const [, bracketed, dotted] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = connectionAddress({ remoteAddress: bracketed ?? dotted ?? text });
  return isIP(address) === 0 ? null : address;
}
