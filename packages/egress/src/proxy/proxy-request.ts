import { type HostName, parseAskedHostPort, parsePort, printable } from "../names/host-name.ts";
import { type RequestHead, readRequestHead, valuesOf } from "../protocols/http-head.ts";
import { authorityOf, requestedHost } from "../protocols/http-request.ts";
import type { EgressDenied } from "../policy/types.ts";

/**
 * What a program asks of a proxy: a tunnel (`CONNECT host:port`), or that one request is sent on (`GET http://host/path`).
 * `direct` is asked of no proxy, but of a server at this very address. `refused` names a host that is not one, or none.
 */
export type ProxyRequest =
  | { kind: "more" }
  | { kind: "tunnel" | "forward"; name: HostName; port: number; head: RequestHead }
  | { kind: "refused"; host: string; port: number | null; reason: EgressDenied["reason"] }
  | { kind: "direct" };

/** Reads it from the first bytes of a connection. Never throws. */
export function readProxyRequest(bytes: Buffer): ProxyRequest {
  const head = readRequestHead(bytes);
  if (head.kind === "more") return head;
  if (head.kind === "invalid") return readUnsound(bytes);
  if (head.method === "CONNECT") return readTunnel(head);
  return head.target.startsWith("/") || head.target === "*" ? { kind: "direct" } : readForward(head);
}

/** The port is always written. A Host header, where there is one, says the same; a body there is none. */
function readTunnel(head: RequestHead): ProxyRequest {
  const target = parseAskedHostPort(head.target);
  if (target?.port == null) return refusedAs(head.target, "name_mismatch");
  const { name, port } = target;
  const isSame = (text: string): boolean => {
    const host = parseAskedHostPort(text);
    return host !== null && host.name === name && (host.port ?? port) === port;
  };
  if (!valuesOf(head.headers, "host").every(isSame)) return refusedAs(head.target, "name_mismatch");
  return hasBody(head) ? refusedAs(head.target, "unknown_protocol") : { kind: "tunnel", name, port, head };
}

function hasBody({ headers }: RequestHead): boolean {
  return ["content-length", "transfer-encoding"].some((name) => valuesOf(headers, name).length > 0);
}

function readForward(head: RequestHead): ProxyRequest {
  const host = requestedHost(head);
  if (host !== null) return { kind: "forward", ...host, head };
  return refusedAs(authorityOf(head.target) ?? head.target, "name_mismatch");
}

/** What was asked for, as people are told of it: `reason` where it is a host, else that none is allowed that is written so. */
function refusedAs(authority: string, reason: EgressDenied["reason"]): ProxyRequest {
  const host = parseAskedHostPort(authority);
  if (host !== null) return { kind: "refused", host: host.name, port: host.port, reason };
  const [, written = authority, port = ""] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(authority) ?? [];
  const told = printable(written.replace(/^\[|\]$/g, ""));
  return { kind: "refused", host: told, port: parsePort(port), reason: "not_allowed" };
}

/** A head that is not one is told of by what its first line asks for, when that is what only proxies are asked. */
function readUnsound(bytes: Buffer): ProxyRequest {
  const [line = ""] = bytes.toString("latin1", 0, 1024).split(/[\r\n]/, 1);
  const tunnel = /^CONNECT (.*?)(?: HTTP\/[0-9.]*)?$/.exec(line)?.[1];
  const authority = tunnel ?? /^[A-Z]{1,20} ([a-z]+:\/\/[^ ]*)/i.exec(line)?.[1];
  if (authority === undefined) return { kind: "direct" };
  return refusedAs(authorityOf(authority) ?? authority, "unknown_protocol");
}
