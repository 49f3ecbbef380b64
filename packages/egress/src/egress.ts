import { Pool } from "@berth/concurrency";
import { createAddressGuard } from "./addresses/address-guard.ts";
import { type Resolve, resolveBySystem } from "./addresses/resolve.ts";
import {
  type BareNamespace,
  makeNamespaces,
  prepareNamespace,
  releaseNamespace,
} from "./capture/bare-namespace.ts";
import { KernelRefusals } from "./capture/kernel-refusals.ts";
import {
  type CaptureContext,
  ListeningNamespace,
  type NamespaceOptions,
  type NetworkNamespace,
} from "./capture/network-namespace.ts";
import { RecentPorts } from "./capture/recent-ports.ts";
import { Mitm, type MitmOptions } from "./mitm/mitm.ts";
import { OutgoingProxies } from "./outgoing/outgoing-proxies.ts";
import { EgressError } from "./policy/egress-error.ts";
import { parsePolicy } from "./policy/policy.ts";

export interface EgressOptions {
  /**
   * What may be reached although it is not on the public internet: host names, `host:port`, addresses, networks
   * (`10.1.0.0/16`). This only lifts the address guard; a policy must allow the host as well. Default: nothing.
   */
  allowPrivate?: readonly string[];
  /** Default: the machine's resolver. */
  resolve?: Resolve;
  /** Default: none; every destination is dialled. */
  proxies?: OutgoingProxies;
  /** Namespaces kept ready. Default: 8. They are made in batches, since starting the process costs more than the namespaces. */
  poolSize?: number;
  /** Default: no credentials can be injected, `open` rejects them, and all TLS passes unopened. */
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
const MAX_BATCH = 8;

/**
 * Controlled internet access for sandboxes. Each gets a network namespace without interface or route, in which every address is
 * local and the listening sockets belong to this process.
 *
 * An engine creates one `Egress` at start and opens a namespace per sandbox; a pool hides the time that making one takes. The
 * engine starts the sandbox inside the namespace, through its descriptors: nothing has a name on the host, and everything ends
 * with this process. It may call `setPolicy` on a namespace at any time.
 */
export interface Egress {
  /** Rejects with `EgressError` when the policy has an invalid host, or this machine cannot make a namespace. */
  open(options: NamespaceOptions): Promise<NetworkNamespace>;
  /** May be called again. */
  close(): Promise<void>;
}

/** Rejects with `EgressError` when an option is invalid. */
export async function createEgress(options: EgressOptions = {}): Promise<Egress> {
  const context = createContext(options);
  const pool = new Pool<BareNamespace>({
    ready: options.poolSize ?? MAX_BATCH,
    batch: MAX_BATCH,
    make: (count) => makeNamespaces(count, context.recentPorts.list),
    release: releaseNamespace,
  });
  const open = new Set<ListeningNamespace>();
  return {
    open: async (namespaceOptions) => {
      parsePolicy(namespaceOptions.policy);
      if (namespaceOptions.credentials !== undefined && context.mitm === null) {
        throw new EgressError("This egress has no certificate authority, so it cannot inject credentials.");
      }
      const { netFd } = namespaceOptions;
      const making = netFd === undefined ? pool.take() : prepareNamespace(netFd);
      const bare = await making.catch(throwEgressError);
      const namespace = new ListeningNamespace(bare, namespaceOptions, context);
      open.add(namespace);
      void namespace.closed.then(() => open.delete(namespace));
      await namespace.openPorts().catch(async (error: Error) => {
        await namespace.close();
        return throwEgressError(error);
      });
      return namespace;
    },
    close: async () => {
      await Promise.all([pool.close(), ...[...open].map((namespace) => namespace.close())]);
      context.kernelRefusals.close();
    },
  };
}

function createContext(options: EgressOptions): CaptureContext {
  const { log = () => {}, headTimeoutMs = 10_000 } = options;
  return {
    resolve: options.resolve ?? resolveBySystem,
    guard: createAddressGuard(options.allowPrivate ?? []),
    proxies: options.proxies ?? new OutgoingProxies(),
    mitm: options.mitm ? new Mitm(options.mitm, headTimeoutMs) : null,
    kernelRefusals: new KernelRefusals(log),
    headLimits: { bytes: MAX_HEAD_BYTES, milliseconds: headTimeoutMs },
    recentPorts: new RecentPorts(),
    deniedMessage:
      options.deniedMessage ?? ((destination) => `The network policy does not allow ${destination}.`),
    log,
  };
}

function throwEgressError(error: Error): never {
  throw new EgressError(`No network namespace could be made: ${error.message}`, { cause: error });
}
