import { type HostName, parseAskedHostPort } from "../names/host-name.ts";
import { type RequestHead, valuesOf } from "./http-head.ts";

/** Which host and port a plain HTTP request is for; null when it does not say so in one way. */
export interface RequestedHost {
  name: HostName;
  port: number;
}

/**
 * Where a request goes that was not made through a proxy: one Host header, and a target that says nothing else. Null for
 * `CONNECT`, a host that is not a name, and a switch to another protocol than WebSocket, in which later requests would
 * not be seen.
 */
export function requestedHost(head: RequestHead): RequestedHost | null {
  const hosts = valuesOf(head.headers, "host");
  const host = parseAskedHostPort(hosts[0] ?? "");
  if (head.method === "CONNECT" || host === null || hosts.length > 1 || !staysHttp(head)) return null;
  const said = { name: host.name, port: host.port ?? 80 };
  if (head.target.startsWith("/") || (head.target === "*" && head.method === "OPTIONS")) return said;
  const absolute = absoluteTarget(head.target);
  return absolute !== null && absolute.name === said.name && absolute.port === said.port ? said : null;
}

/** The host that a target of the form `http://host:port/path` names. */
function absoluteTarget(target: string): RequestedHost | null {
  const host = /^http:/i.test(target) ? parseAskedHostPort(authorityOf(target) ?? "") : null;
  return host === null ? null : { name: host.name, port: host.port ?? 80 };
}

/** What stands between `scheme://` and the path of a target, not validated; null where it has no such part. */
export function authorityOf(target: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? null;
}

/**
 * The head of an accepted request as the server gets it: a path as target, nothing that is meant for a proxy, and a wish to
 * close after the answer: only this request's Host was checked, so there is to be no second one on the connection.
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

/** What a target of either form asks its host for. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/#.*$/, "");
  return path.startsWith("/") || path === "*" ? path : `/${path}`;
}

function staysHttp({ headers }: RequestHead): boolean {
  return valuesOf(headers, "upgrade").every((protocol) => /^websocket$/i.test(protocol));
}
