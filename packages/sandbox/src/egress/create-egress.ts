import { SandboxError } from "../sandbox.ts";
import { makeAddressGuard } from "./address-guard.ts";
import { passThrough, type TlsHandler } from "./connection.ts";
import { type Resolve, resolveBySystem } from "./dial.ts";
import type { Egress } from "./egress.ts";
import { NamespacePool } from "./namespace-pool.ts";
import { parsePolicy } from "./policy.ts";
import { SessionNamespace } from "./session-namespace.ts";

export interface EgressOptions {
  /**
   * What may be reached although it is not on the public internet: host names, `host:port`, addresses, networks
   * (`10.1.0.0/16`). It only lifts that guard; a policy has to name the host as well. Default: nothing.
   */
  allowPrivate?: readonly string[];
  /** Default: the machine's resolver. */
  resolve?: Resolve;
  /** Namespaces kept ready. Default 2. */
  poolSize?: number;
  /** Default: TLS passes unopened. */
  handleTls?: TlsHandler;
  /** Milliseconds for a client to send its TLS hello or request head. Default 10,000. */
  headTimeoutMs?: number;
  /** What an operator may want to know, one line each, without secrets. Default: nobody hears it. */
  log?: (line: string) => void;
}

const maximumHeadBytes = 32_768;

/**
 * Starts an egress. Rejects with `SandboxError` when an option is wrong; `open` does when a policy names what is not a
 * host, or when this machine cannot make a namespace.
 */
export async function createEgress(options: EgressOptions = {}): Promise<Egress> {
  const surroundings = {
    resolve: options.resolve ?? resolveBySystem,
    guard: makeAddressGuard(options.allowPrivate ?? []),
    handleTls: options.handleTls ?? passThrough,
    headLimits: { bytes: maximumHeadBytes, milliseconds: options.headTimeoutMs ?? 10_000 },
    log: options.log ?? (() => {}),
  };
  const pool = new NamespacePool(options.poolSize ?? 2);
  const open = new Set<SessionNamespace>();
  return {
    open: async (namespaceOptions) => {
      parsePolicy(namespaceOptions.policy);
      const bare = await pool.take().catch(asSandboxError);
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
    },
  };
}

function asSandboxError(error: Error): never {
  throw new SandboxError(`No network namespace could be made: ${error.message}`, { cause: error });
}
