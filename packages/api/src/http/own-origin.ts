import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { ClientAddresses } from "./client-address.ts";

type Request = Pick<IncomingMessage, "headers" | "socket">;

export interface OriginOptions {
  /** Public base URL of the service. Null when clients use the URL that they connect to. */
  publicUrl: string | null;
  /** Whether the service itself terminates TLS. */
  isTls: boolean;
  clients: Pick<ClientAddresses, "isFromProxy">;
}

/** Determines the origin at which browsers see the service, to recognize its own pages. */
export class OwnOrigin {
  readonly #options: OriginOptions;

  constructor(options: OriginOptions) {
    this.#options = options;
  }

  /**
   * Returns the origin of the service's own pages in the browser that makes this request; null for an
   * untrusted host. Anybody can make a name resolve to this machine (DNS rebinding), so only these are
   * trusted: the public URL, a host that a trusted proxy forwards, an IP address, and `localhost`.
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

  /** Returns the base URL for links to the service; null as with `of`. */
  forLinks(request: Request): string | null {
    return this.#options.publicUrl ?? this.of(request);
  }
}

/** Returns whether others can read the connection: it is neither encrypted nor local. */
export function isReadableOnTheWay(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === "http:" && !/^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function isOwnName(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0 || /^(.+\.)?localhost$/.test(hostname);
}

/** Returns the host and protocol that the nearest proxy states, which it writes last. */
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
