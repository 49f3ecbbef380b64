import { Pool } from "@berth/concurrency";
import { makeAddressGuard } from "./addresses/address-guard.ts";
import type { Authority } from "./mitm/certificate-authority.ts";
import { createExchange } from "./mitm/mitm.ts";
import { type Resolve, resolveBySystem } from "./relay/dial.ts";
import type { Egress } from "./egress.ts";
import { type BareNamespace, furnishNamespace, makeNamespaces, releaseNamespace } from "./capture/bare-namespace.ts";
import { NamedPorts } from "./capture/recent-ports.ts";
import { parsePolicy } from "./policy/policy.ts";
import { Refusals } from "./capture/kernel-refusals.ts";
import { SessionNamespace } from "./capture/network-namespace.ts";
import { EgressError } from "./policy/types.ts";

export interface EgressOptions {
  /**
   * What may be reached although it is not on the public internet: host names, `host:port`, addresses, networks
   * (`10.1.0.0/16`). It only lifts that guard; a policy has to name the host as well. Default: nothing.
   */
  allowPrivate?: readonly string[];
  /** Default: the machine's resolver. */
  resolve?: Resolve;
  /** Namespaces kept ready. Default 8: half of them are made in one process, which costs more than all of them. */
  poolSize?: number;
  /**
   * Who signs, for sandboxes, for the hosts that credentials are for, and PEM of the authorities that those hosts are verified
   * against. Default: no credentials are put in, and `open` refuses them; all TLS passes unopened.
   */
  opening?: { authority: Authority; trusted: readonly string[] };
  /** Milliseconds for a client to send its TLS hello or request head. Default 10,000. */
  headTimeoutMs?: number;
  /** What an operator may want to know, one line each, without secrets. Default: nobody hears it. */
  log?: (line: string) => void;
}

const maximumHeadBytes = 32_768;

/**
 * Starts an egress. Rejects with `EgressError` when an option is wrong; `open` does when a policy names what is not a
 * host, or when this machine cannot make a namespace.
 */
export async function createEgress(options: EgressOptions = {}): Promise<Egress> {
  const { log = () => {}, headTimeoutMs: handshakeMs = 10_000 } = options;
  const surroundings = {
    resolve: options.resolve ?? resolveBySystem,
    guard: makeAddressGuard(options.allowPrivate ?? []),
    exchange: options.opening ? createExchange({ ...options.opening, handshakeMs }) : null,
    refusals: new Refusals(log),
    headLimits: { bytes: maximumHeadBytes, milliseconds: handshakeMs },
    namedPorts: new NamedPorts(),
    log,
  };
  const pool = new Pool<BareNamespace>({
    ready: options.poolSize ?? 8,
    batch: 8,
    make: (count) => makeNamespaces(count, surroundings.namedPorts.lately),
    release: releaseNamespace,
  });
  const open = new Set<SessionNamespace>();
  return {
    open: async (namespaceOptions) => {
      parsePolicy(namespaceOptions.policy);
      if (namespaceOptions.credentials !== undefined && surroundings.exchange === null) {
        throw new EgressError("This egress has no authority to put credentials in.");
      }
      const { netFd } = namespaceOptions;
      const making = netFd === undefined ? pool.take() : furnishNamespace(netFd);
      const bare = await making.catch(asSandboxError);
      const namespace = new SessionNamespace(bare, namespaceOptions, surroundings);
      open.add(namespace);
      void namespace.closed.then(() => open.delete(namespace));
      await namespace.openPorts().catch(async (error: Error) => {
        await namespace.close();
        return asSandboxError(error);
      });
      return namespace;
    },
    close: async () => {
      await Promise.all([pool.close(), ...[...open].map((namespace) => namespace.close())]);
      surroundings.refusals.close();
    },
  };
}

function asSandboxError(error: Error): never {
  throw new EgressError(`No network namespace could be made: ${error.message}`, { cause: error });
}
