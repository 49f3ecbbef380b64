import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { ClientAddresses } from "./client-address.ts";

type Request = Pick<IncomingMessage, "headers" | "socket">;

export interface OriginOptions {
  /** Where clients find the service; null: where they found it. */
  publicUrl: string | null;
  /** Whether the service itself ends TLS. */
  isTls: boolean;
  clients: Pick<ClientAddresses, "isFromProxy">;
}

/** Where browsers find the service, so that it knows its own pages from those of others. */
export class OwnOrigin {
  readonly #options: OriginOptions;

  constructor(options: OriginOptions) {
    this.#options = options;
  }

  /**
   * The origin that the service's own pages have in the browser that makes this request; null when the request is for a host that nobody
   * vouches for. Anybody can let a name of theirs lead to this machine (DNS rebinding), so that only these count: the public URL, a host
   * that a trusted proxy passes on, an address, and `localhost`.
   */
  of(request: Request): string | null {
    const { publicUrl, isTls, clients } = this.#options;
    const isFromProxy = clients.isFromProxy(request);
    if (publicUrl !== null && isFromProxy) return publicUrl;
    const { host, protocol } = isFromProxy ? forwarded(request) : { host: undefined, protocol: undefined };
    const scheme = protocol ?? (isTls ? "https" : "http");
    const url = URL.parse(`${scheme}://${host ?? request.headers.host ?? ""}`);
    if (url === null || `${url.origin}/` !== url.href) return null;
    if (publicUrl !== null && new URL(publicUrl).host === url.host) return publicUrl;
    return isFromProxy || isOwnName(url.hostname) ? url.origin : null;
  }

  /** The address of the service for links that it gives out; null as with `of`. */
  forLinks(request: Request): string | null {
    return this.#options.publicUrl ?? this.of(request);
  }
}

/** Whether what is sent there can be read on the way: neither encrypted nor within one machine. */
export function isReadableOnTheWay(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === "http:" && !/^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function isOwnName(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0 || /^(.+\.)?localhost$/.test(hostname);
}

/** What the nearest proxy says of the request, which it writes last. */
function forwarded({ headers }: Request): { host: string | undefined; protocol: string | undefined } {
  const last = (name: string) =>
    String(headers[name] ?? "")
      .split(",")
      .pop()
      ?.trim() || undefined;
  const protocol = last("x-forwarded-proto")?.toLowerCase();
  return {
    host: last("x-forwarded-host"),
    protocol: protocol === "http" || protocol === "https" ? protocol : undefined,
  };
}
