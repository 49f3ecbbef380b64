import type { EgressDenied } from "../sandbox.ts";
import { type HostName, parseAskedHostPort, parsePort } from "./host-name.ts";
import { type RequestHead, readRequestHead, valuesOf } from "./http-head.ts";
import { authorityOf, requestedHost } from "./http-request.ts";

/**
 * What a program asks of a proxy: a tunnel (`CONNECT host:port`), or that one request is sent on (`GET http://host/path`).
 * `direct` is asked of no proxy, but of a server at this very address. `refused` names a host that is not one, or none.
 */
export type ProxyRequest =
  | { kind: "more" }
  | { kind: "tunnel" | "forward"; name: HostName; port: number; head: RequestHead }
  | { kind: "refused"; host: string | null; port: number | null; reason: EgressDenied["reason"] }
  | { kind: "direct" };

const unreadable: ProxyRequest = { kind: "refused", host: null, port: null, reason: "unknown_protocol" };

/** Reads it from the first bytes of a connection. Never throws. */
export function readProxyRequest(bytes: Buffer): ProxyRequest {
  const head = readRequestHead(bytes);
  if (head.kind === "more") return head;
  if (head.kind === "invalid") return asksProxy(bytes) ? unreadable : { kind: "direct" };
  if (head.method === "CONNECT") return readTunnel(head);
  return head.target.startsWith("/") || head.target === "*" ? { kind: "direct" } : readForward(head);
}

/** The port is always written. A Host header, where there is one, says the same; a body there is none. */
function readTunnel(head: RequestHead): ProxyRequest {
  const target = parseAskedHostPort(head.target);
  if (target === null || target.port === null) return refusedAs(head.target, "not_allowed");
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
  const authority = authorityOf(head.target) ?? head.target;
  if (host !== null) return { kind: "forward", ...host, head };
  return refusedAs(authority, parseAskedHostPort(authority) === null ? "not_allowed" : "name_mismatch");
}

/** What was asked for, as people are told of it: the host as it was written, without its port, and the port where it is one. */
function refusedAs(authority: string, reason: EgressDenied["reason"]): ProxyRequest {
  const [, host = authority, port] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(authority) ?? [];
  const told = host.replace(/^\[|\]$/g, "").slice(0, 253);
  return { kind: "refused", host: told, port: parsePort(port ?? ""), reason };
}

/** Whether the first line is of a kind that only proxies are sent. */
function asksProxy(bytes: Buffer): boolean {
  return /^(?:CONNECT |[A-Z]{1,20} [a-z]+:\/\/)/i.test(bytes.toString("latin1", 0, 64));
}
