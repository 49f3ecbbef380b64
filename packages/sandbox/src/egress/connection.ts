import type { Socket } from "node:net";
import type { EgressDenied } from "../sandbox.ts";
import type { AddressGuard } from "./address-guard.ts";
import type { Resolve } from "./dial.ts";
import type { HostName } from "./host-name.ts";
import { identify, isLoopback, type Place } from "./identify.ts";
import { join, passOn } from "./pass-on.ts";
import type { HeadLimits } from "./read-head.ts";
import { proxyPort, serveProxy } from "./serve-proxy.ts";
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
  const place = placeOf(client, gate.addresses);
  if (place.port === proxyPort && place.name === null && isLoopback(place.address)) {
    return serveProxy(client, place, gate, surroundings);
  }
  return passOn(client, await identify(client, place, surroundings.headLimits), gate, surroundings);
}

/** Where a client of a namespace connected to. */
export function placeOf(client: Socket, addresses: SyntheticAddresses): Place {
  const address = (client.localAddress ?? "").replace(/^::ffff:(?=[0-9.]+$)/, "");
  return { name: addresses.nameOf(address), address, port: client.localPort ?? 0 };
}
