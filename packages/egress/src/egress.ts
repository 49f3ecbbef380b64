import type { CredentialSource, EgressDenied, EgressPolicy } from "./policy/types.ts";

/**
 * The only way out of a sandbox: network namespaces without interface or route, in which every address is local
 * and the listeners are sockets that this process holds.
 *
 * Life story. An engine makes one `Egress` at start and asks it for a namespace per sandbox; a small pool hides
 * the cost of making one. The engine starts the sandbox inside the namespace (through its descriptors, so that
 * nothing has a name on the host and everything is gone when this process dies), may `setPolicy` while it lives,
 * and calls `close` once, which may be repeated.
 */
export interface Egress {
  open(options: NamespaceOptions): Promise<NetworkNamespace>;
  close(): Promise<void>;
}

export interface NamespaceOptions {
  policy: EgressPolicy;
  credentials?: CredentialSource;
  onDenied?: (denied: EgressDenied) => void;
  /**
   * Open descriptor of a namespace that somebody else made for one sandbox and nothing but its loopback is in, where this process
   * is root: it is furnished instead of a new one. The descriptor stays the caller's.
   */
  netFd?: number;
}

export interface NetworkNamespace {
  /** Open descriptor of the network namespace, for `nsenter --net=/proc/self/fd/N`. */
  readonly netFd: number;
  /** Open descriptor of the user namespace that owns it, where this process is not root; else null. */
  readonly userFd: number | null;
  setPolicy(policy: EgressPolicy): void;
  /** Begins now; the answer tells what was refused since, each host once, up to a thousand. */
  watchDenied(): () => EgressDenied[];
  close(): Promise<void>;
}
