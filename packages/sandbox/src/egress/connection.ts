import type { Socket } from "node:net";
import type { EgressDenied, SandboxCredential } from "../sandbox.ts";
import type { AddressGuard } from "./address-guard.ts";
import type { Exchange } from "./credentials/exchange.ts";
import type { Destination } from "./credentials/targets.ts";
import type { Resolve } from "./dial.ts";
import type { HostName } from "./host-name.ts";
import { identify, isLoopback, type Place } from "./identify.ts";
import { passOn } from "./pass-on.ts";
import type { HeadLimits } from "./read-head.ts";
import { proxyPort, serveProxy } from "./serve-proxy.ts";
import type { SyntheticAddresses } from "./synthetic-addresses.ts";

/** What all connections of one egress share. */
export interface Surroundings {
  resolve: Resolve;
  guard: AddressGuard;
  /** Null: no credential can be put in. */
  exchange: Exchange | null;
  headLimits: HeadLimits;
  log: (line: string) => void;
}

/** What one namespace decides. */
export interface Gate {
  addresses: SyntheticAddresses;
  allows(name: HostName, port: number): boolean;
  deny(denied: EgressDenied): void;
  /** The sandbox's credentials for a host, as they are now. Rejects when they cannot be told. */
  credentialsAt(destination: Destination): Promise<readonly SandboxCredential[]>;
  /** Told once the host of a connection is known, so that a later policy can end it. */
  admitted(client: Socket, name: HostName, port: number): void;
}

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
