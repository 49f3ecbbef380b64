import type { Socket } from "node:net";
import { type ClientHello, readClientHello } from "../protocols/client-hello.ts";
import { type HostName, parseAskedHost } from "../names/host-name.ts";
import { type HeadReading, type RequestHead, readRequestHead } from "../protocols/http-head.ts";
import { requestedHost } from "../protocols/http-request.ts";
import { type HeadLimits, readHead } from "../protocols/read-head.ts";
import type { EgressDenied } from "../policy/types.ts";

/** Where a connection was made to, in its namespace or through the proxy. */
export interface Place {
  /** The name that its address stands for, or that a proxy was asked for; null when there is none. */
  name: HostName | null;
  /** What is told of the place when it has no name. */
  address: string;
  port: number;
}

/** Which host a connection is for, or why it is refused. `silent`: the client went away, was too slow or sent too much. */
export type Identified =
  | { kind: "host"; name: HostName; port: number; protocol: "tls" }
  | { kind: "host"; name: HostName; port: number; protocol: "http"; head: RequestHead }
  | { kind: "refused"; denied: EgressDenied }
  | { kind: "silent" };

/**
 * Requires that the TLS hello's server name, or the Host header of plain HTTP, says the name that the place stands for.
 * Nothing but TLS and plain HTTP says a name, so nothing else passes.
 *
 * Names at and below `localhost` need no resolver (RFC 6761), so clients dial a loopback address for them: there the server
 * name alone tells the host, when it is such a name. Any other place without a name is refused.
 */
export async function identify(socket: Socket, place: Place, limits: HeadLimits): Promise<Identified> {
  const { port } = place;
  const refused = (reason: EgressDenied["reason"]): Identified => ({
    kind: "refused",
    denied: { host: place.name ?? place.address, port, reason },
  });
  if (place.name === null && !isLoopback(place.address)) return refused("not_allowed");

  const head = await readHead<ClientHello | HeadReading>(socket, (bytes) => readEither(bytes, port), limits);
  const isUnread = head === null || (head.kind !== "hello" && head.kind !== "head");
  if (isUnread && place.name === null) return refused("not_allowed");
  if (head === null) return { kind: "silent" };
  if (isUnread) return refused("unknown_protocol");
  if (head.kind === "hello" && head.serverName === null) return refused("no_server_name");
  const said = saidBy(head, port);
  const name = place.name ?? (said !== null && isLocalhost(said) ? said : null);
  if (name === null) return refused("not_allowed");
  if (said !== name) return refused("name_mismatch");
  return head.kind === "hello"
    ? { kind: "host", name, port, protocol: "tls" }
    : { kind: "host", name, port, protocol: "http", head };
}

/** TLS on any port; plain HTTP on any but 443. */
function readEither(bytes: Buffer, port: number): ClientHello | HeadReading {
  return bytes[0] === 0x16 || port === 443 ? readClientHello(bytes) : readRequestHead(bytes);
}

/** Null too when a Host header names another port than the one that was dialled. */
function saidBy(head: RequestHead | Extract<ClientHello, { kind: "hello" }>, port: number): HostName | null {
  if (head.kind === "hello") return parseAskedHost(head.serverName ?? "");
  const host = requestedHost(head);
  return host !== null && host.port === port ? host.name : null;
}

/** Whether an IP address is one of those that every machine has for itself. */
export function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** `localhost` and every name below it: those that resolvers must answer with loopback addresses themselves. */
export function isLocalhost(name: HostName): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}
