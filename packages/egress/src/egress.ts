import { Pool } from "@berth/concurrency";
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
import { EgressError } from "./policy/egress-error.ts";
import { parsePolicy } from "./policy/policy.ts";
import { createContext, type RelayOptions } from "./relay/relay-options.ts";
import { servicesByHost } from "./relay/sandbox-service.ts";

export interface EgressOptions extends RelayOptions {
  /**
   * Number of namespaces kept ready. Default: 8. They are made in batches, since each start of a process is
   * slow.
   */
  poolSize?: number;
}

const MAX_BATCH = 8;

/**
 * Controlled internet access for sandboxes. Each sandbox gets a network namespace without interface or route,
 * in which every address is local and the listening sockets belong to this process.
 *
 * An engine creates one `Egress` at start and opens a namespace per sandbox; a pool hides the time that
 * making one takes. The engine starts the sandbox inside the namespace, through its descriptors: nothing has
 * a name on the host, and everything ends with this process. It may call `setPolicy` on a namespace at any
 * time.
 */
export interface Egress {
  /** Opens a namespace. Rejects with `EgressError` when the policy is invalid or no namespace can be made. */
  open(options: NamespaceOptions): Promise<NetworkNamespace>;
  /** Closes all namespaces. Idempotent. */
  close(): Promise<void>;
}

/** Creates an egress. Rejects with `EgressError` when an option is invalid. */
export async function createEgress(options: EgressOptions = {}): Promise<Egress> {
  const relay = createContext(options);
  const context: CaptureContext = {
    ...relay,
    kernelRefusals: new KernelRefusals(relay.log),
    recentPorts: new RecentPorts(),
  };
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
      servicesByHost(namespaceOptions.services);
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

function throwEgressError(error: Error): never {
  throw new EgressError(`No network namespace could be made: ${error.message}`, { cause: error });
}
