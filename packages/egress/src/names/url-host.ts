import { isIP } from "node:net";
import { type HostName, parseAskedHost } from "./host-name.ts";

/** Where a request to a URL goes: to a name, or to a literal address, which no policy names. */
export interface UrlHost {
  tls: boolean;
  port: number;
  name: HostName | null;
  /** IPv4 or IPv6 as text, without brackets; null for a name. */
  address: string | null;
}

/** Reads the host of an http or https URL; null when it is neither a name nor an address, or the URL is of another kind. */
export function parseUrlHost({ protocol, hostname, port }: URL): UrlHost | null {
  const tls = protocol === "https:";
  if (!tls && protocol !== "http:") return null;
  const place = { tls, port: Number(port || (tls ? 443 : 80)) };
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return { ...place, name: null, address: host };
  const name = parseAskedHost(host);
  return name === null ? null : { ...place, name, address: null };
}
