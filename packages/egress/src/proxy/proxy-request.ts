import { type HostName, parsePort, parseRequestedHostPort, printable } from "../names/host-name.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import { type RequestHead, readRequestHead, valuesOf } from "../protocols/http-head.ts";
import { authorityOf, requestedHost } from "../protocols/http-request.ts";

/**
 * A request to the proxy: to open a tunnel (`CONNECT host:port`), or to forward one request (`GET
 * http://host/path`). `direct` is a request to a server at this address, not to a proxy. `denied` has an
 * invalid host or is malformed.
 */
export type ProxyRequest =
  | { kind: "more" }
  | { kind: "tunnel" | "forward"; name: HostName; port: number; head: RequestHead }
  | { kind: "denied"; denied: EgressDenied }
  | { kind: "direct" };

/** Reads a proxy request from the first bytes of a connection. Never throws. */
export function readProxyRequest(bytes: Buffer): ProxyRequest {
  const head = readRequestHead(bytes);
  if (head.kind === "more") return head;
  if (head.kind === "invalid") return readMalformed(bytes);
  if (head.method === "CONNECT") return readTunnel(head);
  return head.target.startsWith("/") || head.target === "*" ? { kind: "direct" } : readForward(head);
}

/** Reads a CONNECT request. The port is required, a Host header must match, and there must be no body. */
function readTunnel(head: RequestHead): ProxyRequest {
  const target = parseRequestedHostPort(head.target);
  if (target?.port == null) return deniedAs(head.target, "name_mismatch");
  const { name, port } = target;
  const isSame = (text: string): boolean => {
    const host = parseRequestedHostPort(text);
    return host !== null && host.name === name && (host.port ?? port) === port;
  };
  if (!valuesOf(head.headers, "host").every(isSame)) return deniedAs(head.target, "name_mismatch");
  return hasBody(head) ? deniedAs(head.target, "unknown_protocol") : { kind: "tunnel", name, port, head };
}

function hasBody({ headers }: RequestHead): boolean {
  return ["content-length", "transfer-encoding"].some((name) => valuesOf(headers, name).length > 0);
}

function readForward(head: RequestHead): ProxyRequest {
  const host = requestedHost(head);
  if (host !== null) return { kind: "forward", ...host, head };
  return deniedAs(authorityOf(head.target) ?? head.target, "name_mismatch");
}

/**
 * Denies an authority. A valid host is reported with `reason`; anything else in printable form as
 * `not_allowed`, since no policy can allow it.
 */
function deniedAs(authority: string, reason: EgressDenied["reason"]): ProxyRequest {
  const parsed = parseRequestedHostPort(authority);
  if (parsed !== null) return { kind: "denied", denied: { host: parsed.name, port: parsed.port, reason } };
  const [, text = authority, port = ""] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(authority) ?? [];
  const host = printable(text.replace(/^\[|\]$/g, ""));
  return { kind: "denied", denied: { host, port: parsePort(port), reason: "not_allowed" } };
}

/** Denies a malformed head with the host of its first line, if only a proxy would get such a line. */
function readMalformed(bytes: Buffer): ProxyRequest {
  const [line = ""] = bytes.toString("latin1", 0, 1024).split(/[\r\n]/, 1);
  const tunnel = /^CONNECT (.*?)(?: HTTP\/[0-9.]*)?$/.exec(line)?.[1];
  const authority = tunnel ?? /^[A-Z]{1,20} ([a-z]+:\/\/[^ ]*)/i.exec(line)?.[1];
  if (authority === undefined) return { kind: "direct" };
  return deniedAs(authorityOf(authority) ?? authority, "unknown_protocol");
}
