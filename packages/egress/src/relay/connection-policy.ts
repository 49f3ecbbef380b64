import type { AddressGuard } from "../addresses/address-guard.ts";
import type { Resolve } from "../addresses/resolve.ts";
import type { Mitm } from "../mitm/mitm.ts";
import type { Destination, ProxiedCredential } from "../mitm/proxied-credential.ts";
import type { HostName } from "../names/host-name.ts";
import type { OutgoingProxies } from "../outgoing/outgoing-proxies.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { Client } from "../protocols/client.ts";
import type { HeadLimits } from "../protocols/read-head.ts";
import type { ServicesByHost } from "./sandbox-service.ts";

/** State that all connections of one egress share. */
export interface EgressContext {
  resolve: Resolve;
  /** Returns whether a host is refused whatever a policy allows. */
  refuses(name: HostName): boolean;
  guard: AddressGuard;
  proxies: OutgoingProxies;
  /** The MITM, or null when no credentials can be injected; then TLS is forwarded without being opened. */
  mitm: Mitm | null;
  headLimits: HeadLimits;
  /** Returns the body of the proxy's 403 response to a destination that no policy allows. */
  deniedMessage(destination: string): string;
  log(line: string): void;
}

/** Decides about the connections of one sandbox, at the moment of each. */
export interface ConnectionPolicy {
  allows(name: HostName, port: number): boolean;
  deny(denied: EgressDenied): void;
  /** Hosts that Berth answers itself; see `SandboxService`. */
  services: ServicesByHost;
  /** Returns the current credentials for a host. Rejects when they cannot be determined. */
  credentialsAt(destination: Destination): Promise<readonly ProxiedCredential[]>;
  /**
   * Called once the host of a connection is known and allowed, so that a later policy can close the
   * connection.
   */
  admitted(client: Client, name: HostName, port: number): void;
}
