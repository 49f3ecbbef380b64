import { isLoopback } from "../addresses/address-guard.ts";
import { type HostName, isLocalhost, parseRequestedHost } from "../names/host-name.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { Client } from "../protocols/client.ts";
import { type ClientHello, readClientHello } from "../protocols/client-hello.ts";
import { type HeadReading, type RequestHead, readRequestHead } from "../protocols/http-head.ts";
import { requestedHost } from "../protocols/http-request.ts";
import { type HeadLimits, readHead } from "../protocols/read-head.ts";

/** The destination that a client dialled, before redirection, or the host of a proxy tunnel. */
export interface OriginalDestination {
  /** Name of the host, or null when none is known for the address. */
  name: HostName | null;
  /** Reported in denials when there is no name. */
  address: string;
  port: number;
}

/**
 * The host of a connection, or why it is denied. `silent`: the client closed, was too slow or sent too much,
 * which is no denial. Clients that try several addresses of a name at once give up all but one connection.
 */
export type Identified =
  | { kind: "host"; name: HostName; port: number; protocol: "tls" }
  | { kind: "host"; name: HostName; port: number; protocol: "http"; head: RequestHead }
  | { kind: "denied"; denied: EgressDenied }
  | { kind: "silent" };

/**
 * Identifies the host of a connection. The server name of the TLS hello, or the Host header of plain HTTP,
 * must equal the name of the original destination. Only TLS and plain HTTP carry a name, so no other protocol
 * passes.
 *
 * Clients dial a loopback address for names at and below `localhost` without a resolver (RFC 6761). There the
 * server name alone identifies the host, if it is such a name. Any other destination without a name is
 * denied.
 */
export async function identify(
  socket: Client,
  original: OriginalDestination,
  limits: HeadLimits,
): Promise<Identified> {
  const { port } = original;
  const denied = (reason: EgressDenied["reason"]): Identified => ({
    kind: "denied",
    denied: { host: original.name ?? original.address, port, reason },
  });
  if (original.name === null && !isLoopback(original.address)) return denied("not_allowed");

  const head = await readHead<ClientHello | HeadReading>(socket, (bytes) => readEither(bytes, port), limits);
  if (head === null) return { kind: "silent" };
  if (head.kind !== "hello" && head.kind !== "head")
    return denied(original.name === null ? "not_allowed" : "unknown_protocol");
  if (head.kind === "hello" && head.serverName === null) return denied("no_server_name");
  const requested = requestedName(head, port);
  const name = original.name ?? (requested !== null && isLocalhost(requested) ? requested : null);
  if (name === null) return denied("not_allowed");
  if (requested !== name) return denied("name_mismatch");
  return head.kind === "hello"
    ? { kind: "host", name, port, protocol: "tls" }
    : { kind: "host", name, port, protocol: "http", head };
}

/** Reads TLS on any port, and plain HTTP on any but 443. */
function readEither(bytes: Buffer, port: number): ClientHello | HeadReading {
  return bytes[0] === 0x16 || port === 443 ? readClientHello(bytes) : readRequestHead(bytes);
}

/**
 * Returns the name that the client requested. Returns null for an invalid name, or a Host header with another
 * port than was dialled.
 */
function requestedName(
  head: RequestHead | Extract<ClientHello, { kind: "hello" }>,
  port: number,
): HostName | null {
  if (head.kind === "hello") return parseRequestedHost(head.serverName ?? "");
  const host = requestedHost(head);
  return host !== null && host.port === port ? host.name : null;
}
