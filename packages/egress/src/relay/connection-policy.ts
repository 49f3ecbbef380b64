import type { Socket } from "node:net";
import type { AddressGuard } from "../addresses/address-guard.ts";
import type { Exchange } from "../mitm/mitm.ts";
import type { Destination } from "../mitm/proxied-credential.ts";
import type { Resolve } from "./dial.ts";
import type { HostName } from "../names/host-name.ts";
import type { NamedPorts } from "../capture/recent-ports.ts";
import type { HeadLimits } from "../protocols/read-head.ts";
import type { Refusals } from "../capture/kernel-refusals.ts";
import type { SyntheticAddresses } from "../addresses/synthetic-addresses.ts";
import type { EgressDenied, SandboxCredential } from "../policy/types.ts";

/** What all connections of one egress share. */
export interface Surroundings {
  resolve: Resolve;
  guard: AddressGuard;
  /** Null: no credential can be put in. */
  exchange: Exchange | null;
  headLimits: HeadLimits;
  /** Told which ports namespaces are to listen at besides. */
  namedPorts: NamedPorts;
  refusals: Refusals;
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
