import type { Socket } from "node:net";
import type { EgressDenied } from "../sandbox.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import { type HostName, parseHostName, parseHostPort } from "./host-name.ts";
import { type HttpHead, readHttpHead } from "./http-head.ts";
import { type HeadLimits, readHead } from "./read-head.ts";
import type { SyntheticAddresses } from "./synthetic-addresses.ts";

/** Which host a connection is for, or why it is refused. `silent`: the client went away or spoke neither TLS nor HTTP. */
export type Identified =
  | { kind: "host"; name: HostName; port: number; protocol: "tls" | "http" }
  | { kind: "refused"; denied: EgressDenied }
  | { kind: "silent" };

type Head = ClientHello | HttpHead;

/**
 * Finds the host from the address that was dialled, which stands for a name, and requires that the TLS hello's server
 * name, or the Host header of plain HTTP, says the same.
 *
 * Names at and below `localhost` need no resolver (RFC 6761), so clients dial 127.0.0.1 for them: there the server name
 * alone tells the host, when it is such a name. Any other address that no name stands for is refused.
 */
export async function identify(
  socket: Socket,
  addresses: SyntheticAddresses,
  limits: HeadLimits,
): Promise<Identified> {
  const address = socket.localAddress ?? "";
  const port = socket.localPort ?? 0;
  const dialled = addresses.nameOf(address);
  const refused = (reason: EgressDenied["reason"]): Identified => ({
    kind: "refused",
    denied: { host: dialled ?? address, port, reason },
  });
  const isLoopback = address.startsWith("127.");
  if (dialled === null && !isLoopback) return refused("not_allowed");

  const head = await readHead<Head>(socket, (bytes) => readEither(bytes, port), limits);
  if (head === null || (head.kind !== "hello" && head.kind !== "head")) return { kind: "silent" };
  if (head.kind === "hello" && head.serverName === null) return refused("no_server_name");
  const said = head.kind === "hello" ? parseHostName(head.serverName ?? "") : hostOfHeader(head.host, port);
  const name = dialled ?? (said !== null && isLocalhost(said) ? said : null);
  if (name === null) return refused("not_allowed");
  if (said !== name) return refused("name_mismatch");
  return { kind: "host", name, port, protocol: head.kind === "hello" ? "tls" : "http" };
}

/** TLS on any port; plain HTTP on any but 443. */
function readEither(bytes: Buffer, port: number): Head {
  return bytes[0] === 0x16 || port === 443 ? readClientHello(bytes) : readHttpHead(bytes);
}

/** Null too when the header names another port than the one that was dialled. */
function hostOfHeader(header: string, port: number): HostName | null {
  const host = parseHostPort(header);
  return host !== null && (host.port ?? 80) === port ? host.name : null;
}

/** `localhost` and every name below it: those that resolvers must answer with loopback addresses themselves. */
export function isLocalhost(name: HostName): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}
