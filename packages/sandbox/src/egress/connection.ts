import type { Socket } from "node:net";
import type { EgressDenied } from "../sandbox.ts";
import type { AddressGuard } from "./address-guard.ts";
import { dial, type Resolve } from "./dial.ts";
import type { HostName } from "./host-name.ts";
import { closingRequest } from "./http-head.ts";
import { type Identified, identify } from "./identify.ts";
import type { HeadLimits } from "./read-head.ts";
import { splice } from "./splice.ts";
import type { SyntheticAddresses } from "./synthetic-addresses.ts";

/** What all connections of one egress share. */
export interface Surroundings {
  resolve: Resolve;
  guard: AddressGuard;
  handleTls: TlsHandler;
  headLimits: HeadLimits;
  log: (line: string) => void;
}

/** What one namespace decides. */
export interface Gate {
  addresses: SyntheticAddresses;
  allows(name: HostName, port: number): boolean;
  deny(denied: EgressDenied): void;
  /** Told once the host of a connection is known, so that a later policy can end it. */
  admitted(client: Socket, name: HostName, port: number): void;
}

/** A TLS connection to an allowed host; the hello is still to be read from `client`. */
export interface TlsConnection {
  client: Socket;
  name: HostName;
  port: number;
  /** Connects to the host; null when it is refused or cannot be reached, which has been recorded. */
  dial(): Promise<Socket | null>;
}

/**
 * What happens to an allowed TLS connection: it passes unopened, or it is ended here where a credential has to be put
 * in on its way. Closes `client` when it gives up.
 */
export type TlsHandler = (connection: TlsConnection) => Promise<void>;

/** TLS stays between the sandbox and the host. */
export const passThrough: TlsHandler = async ({ client, dial: connect }) => join(client, await connect());

/** Brings one accepted connection to the host that it names, or closes it. Never rejects. */
export async function handleConnection(
  client: Socket,
  gate: Gate,
  surroundings: Surroundings,
): Promise<void> {
  client.on("error", () => client.destroy());
  try {
    await connectClient(client, gate, surroundings);
  } catch (error) {
    surroundings.log(`egress: a connection failed: ${error instanceof Error ? error.message : "unknown"}`);
    client.destroy();
  }
}

async function connectClient(client: Socket, gate: Gate, surroundings: Surroundings): Promise<void> {
  const target = await identify(client, gate.addresses, surroundings.headLimits);
  const denied = target.kind === "refused" ? target.denied : notAllowed(target, gate);
  if (denied !== null) gate.deny(denied);
  if (denied !== null || target.kind !== "host") {
    refuse(client);
    return;
  }
  const { name, port, protocol } = target;
  gate.admitted(client, name, port);
  const connect = (): Promise<Socket | null> => connectTo(name, port, gate, surroundings);
  if (protocol === "tls") await surroundings.handleTls({ client, name, port, dial: connect });
  else joinRequest(client, await connect());
}

function notAllowed(target: Identified, gate: Gate): EgressDenied | null {
  if (target.kind !== "host" || gate.allows(target.name, target.port)) return null;
  return { host: target.name, port: target.port, reason: "not_allowed" };
}

async function connectTo(
  name: HostName,
  port: number,
  gate: Gate,
  { resolve, guard, log }: Surroundings,
): Promise<Socket | null> {
  const dialled = await dial(name, port, resolve, guard);
  if (dialled.kind === "connected") return dialled.socket;
  if (dialled.kind === "refused") gate.deny({ host: name, port, reason: "private_address" });
  else if (dialled.kind === "unresolvable") gate.deny({ host: name, port, reason: "unresolvable" });
  else log(`egress: ${name}:${port} does not accept connections`);
  return null;
}

function join(client: Socket, upstream: Socket | null): void {
  if (upstream === null) refuse(client);
  else if (client.destroyed) upstream.destroy();
  else splice(client, upstream);
}

/** The one request of a plain HTTP connection, whose head is read already and lies in the client's buffer. */
function joinRequest(client: Socket, upstream: Socket | null): void {
  const bytes = upstream === null || client.destroyed ? null : (client.read() as Buffer | null);
  if (bytes !== null) client.unshift(closingRequest(bytes));
  join(client, upstream);
}

/** A reset, not a quiet end: programs then report a connection error rather than an empty answer. */
function refuse(client: Socket): void {
  client.resetAndDestroy();
}
