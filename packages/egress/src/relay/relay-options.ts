import { createAddressGuard } from "../addresses/address-guard.ts";
import { type Resolve, resolveBySystem } from "../addresses/resolve.ts";
import { Mitm, type MitmOptions } from "../mitm/mitm.ts";
import { OutgoingProxies } from "../outgoing/outgoing-proxies.ts";
import type { EgressContext } from "./connection-policy.ts";

/** How connections of sandboxes are passed on, wherever they are captured. */
export interface RelayOptions {
  /**
   * What may be reached although it is not on the public internet: host names, `host:port`, addresses, networks
   * (`10.1.0.0/16`). This only lifts the address guard; a policy must allow the host as well. Default: nothing.
   */
  allowPrivate?: readonly string[];
  /** Default: the machine's resolver. */
  resolve?: Resolve;
  /** Default: none; every destination is dialled. */
  proxies?: OutgoingProxies;
  /** Default: no credentials can be injected, and all TLS passes unopened. */
  mitm?: MitmOptions;
  /** Milliseconds for a client to send its TLS hello or request head. Default: 10,000. */
  headTimeoutMs?: number;
  /**
   * The text of the proxy's response to a request for a destination (`host:port`) that the policy does not allow. Default: one
   * sentence that says so.
   */
  deniedMessage?: (destination: string) => string;
  /** Log lines for the operator, without secrets. Default: dropped. */
  log?: (line: string) => void;
}

const MAX_HEAD_BYTES = 32_768;

/** @throws EgressError when an option is invalid. */
export function createContext(options: RelayOptions): EgressContext {
  const { log = () => {}, headTimeoutMs = 10_000 } = options;
  return {
    resolve: options.resolve ?? resolveBySystem,
    guard: createAddressGuard(options.allowPrivate ?? []),
    proxies: options.proxies ?? new OutgoingProxies(),
    mitm: options.mitm ? new Mitm(options.mitm, headTimeoutMs) : null,
    headLimits: { bytes: MAX_HEAD_BYTES, milliseconds: headTimeoutMs },
    deniedMessage:
      options.deniedMessage ?? ((destination) => `The network policy does not allow ${destination}.`),
    log,
  };
}
