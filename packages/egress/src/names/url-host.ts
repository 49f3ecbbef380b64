import { isIP } from "node:net";
import { type HostName, parseRequestedHost } from "./host-name.ts";

/** The destination of a URL: a name, or a literal address, which no policy allows. */
export interface UrlHost {
  tls: boolean;
  port: number;
  name: HostName | null;
  /** IPv4 or IPv6 as text, without brackets; null for a name. */
  address: string | null;
}

/**
 * Parses the host of an http or https URL. Returns null for another scheme, or a host that is neither a name
 * nor an address.
 */
export function parseUrlHost({ protocol, hostname, port }: URL): UrlHost | null {
  const tls = protocol === "https:";
  if (!tls && protocol !== "http:") return null;
  const base = { tls, port: Number(port || (tls ? 443 : 80)) };
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return { ...base, name: null, address: host };
  const name = parseRequestedHost(host);
  return name === null ? null : { ...base, name, address: null };
}
