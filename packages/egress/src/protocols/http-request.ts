import { type HostName, parseRequestedHostPort } from "../names/host-name.ts";
import { type RequestHead, valuesOf } from "./http-head.ts";

/** The host and port that a plain HTTP request is for. */
export interface RequestedHost {
  name: HostName;
  port: number;
}

/**
 * Returns the destination of a request: its one Host header, which an absolute target must match. Returns
 * null for any other request, for `CONNECT`, for a host that is not a name, and for an upgrade to a protocol
 * other than WebSocket, which would hide later requests.
 */
export function requestedHost(head: RequestHead): RequestedHost | null {
  const hosts = valuesOf(head.headers, "host");
  const host = parseRequestedHostPort(hosts[0] ?? "");
  if (head.method === "CONNECT" || host === null || hosts.length > 1 || !staysHttp(head)) return null;
  const requested = { name: host.name, port: host.port ?? 80 };
  if (head.target.startsWith("/") || (head.target === "*" && head.method === "OPTIONS")) return requested;
  const absolute = absoluteTarget(head.target);
  const isSame = absolute?.name === requested.name && absolute.port === requested.port;
  return isSame ? requested : null;
}

/** Returns the host of a target of the form `http://host:port/path`, or null for any other target. */
function absoluteTarget(target: string): RequestedHost | null {
  const host = /^http:/i.test(target) ? parseRequestedHostPort(authorityOf(target) ?? "") : null;
  return host === null ? null : { name: host.name, port: host.port ?? 80 };
}

/**
 * Returns the part between `scheme://` and the path of a target, not validated, or null when there is none.
 */
export function authorityOf(target: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? null;
}

/**
 * Returns the head that is sent to the server for an accepted request. It has a path as target, no proxy
 * headers, and `Connection: close`: only this request's Host was checked, so no second request may follow.
 */
export function closingHead({ method, target, version, headers }: RequestHead): Buffer {
  const kept = headers.filter(([name]) => !/^(connection|keep-alive|proxy-.*)$/i.test(name));
  const upgrades = valuesOf(kept, "upgrade").length > 0;
  const lines = [
    `${method} ${pathOf(target)} HTTP/${version}`,
    ...kept.map(([name, value]) => `${name}: ${value}`),
    `Connection: ${upgrades ? "upgrade, close" : "close"}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** Returns the path of a target in either form. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/#.*$/, "");
  return path.startsWith("/") || path === "*" ? path : `/${path}`;
}

function staysHttp({ headers }: RequestHead): boolean {
  return valuesOf(headers, "upgrade").every((protocol) => /^websocket$/i.test(protocol));
}
