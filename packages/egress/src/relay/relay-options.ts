import { createAddressGuard } from "../addresses/address-guard.ts";
import { type Resolve, resolveBySystem } from "../addresses/resolve.ts";
import { Mitm, type MitmOptions } from "../mitm/mitm.ts";
import { OutgoingProxies } from "../outgoing/outgoing-proxies.ts";
import { parsePolicy } from "../policy/policy.ts";
import type { EgressContext } from "./connection-policy.ts";

/** Options for forwarding connections of sandboxes, wherever they are captured. */
export interface RelayOptions {
  /**
   * Destinations that may be reached although they are not on the public internet: host names, `host:port`,
   * addresses, networks (`10.1.0.0/16`). This only lifts the address guard; a policy must allow the host as
   * well. Default: none.
   */
  allowPrivate?: readonly string[];
  /** Hosts that no policy allows, in the form of those of a policy. Default: none. */
  refused?: readonly string[];
  /** Resolver for names. Default: the machine's resolver. */
  resolve?: Resolve;
  /** Outgoing proxies. Default: none; every destination is dialled directly. */
  proxies?: OutgoingProxies;
  /**
   * Options of the MITM. Default: no credentials can be injected, and TLS is forwarded without being opened.
   */
  mitm?: MitmOptions;
  /** Milliseconds for a client to send its TLS hello or request head. Default: 10,000. */
  headTimeoutMs?: number;
  /**
   * Returns the text of the proxy's response to a request for a destination (`host:port`) that the policy
   * does not allow. Default: one sentence that says so.
   */
  deniedMessage?: (destination: string) => string;
  /** Log lines for the operator, without secrets. Default: dropped. */
  log?: (line: string) => void;
}

const MAX_HEAD_BYTES = 32_768;

/** Creates the context that all connections share. @throws EgressError when an option is invalid. */
export function createContext(options: RelayOptions): EgressContext {
  const { log = () => {}, headTimeoutMs = 10_000 } = options;
  return {
    resolve: options.resolve ?? resolveBySystem,
    guard: createAddressGuard(options.allowPrivate ?? []),
    refuses: parsePolicy({ mode: "limited", hosts: options.refused ?? [] }).allowsName,
    proxies: options.proxies ?? new OutgoingProxies(),
    mitm: options.mitm ? new Mitm(options.mitm, headTimeoutMs) : null,
    headLimits: { bytes: MAX_HEAD_BYTES, milliseconds: headTimeoutMs },
    deniedMessage:
      options.deniedMessage ?? ((destination) => `The network policy does not allow ${destination}.`),
    log,
  };
}
