import type { Socket as DatagramSocket, RemoteInfo } from "node:dgram";
import type { Socket } from "node:net";
import { DEFAULT_PORTS } from "../network/ports.ts";
import { type NetworkOptions, SandboxNetwork } from "../network/sandbox-network.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { EgressPolicy } from "../policy/policy.ts";
import type { EgressContext } from "../relay/connection-policy.ts";
import { type BareNamespace, closeOtherPorts, listenAt, releaseNamespace } from "./bare-namespace.ts";
import type { KernelRefusals } from "./kernel-refusals.ts";
import { closeListeners, type Listeners } from "./listeners.ts";
import type { RecentPorts } from "./recent-ports.ts";

export interface NamespaceOptions extends NetworkOptions {
  /**
   * Open descriptor of a namespace that the caller made for one sandbox and in which only its loopback
   * exists. That namespace is prepared instead of a new one. Requires root. The caller keeps the descriptor
   * and closes it.
   */
  netFd?: number;
}

/** State that all namespaces of one egress share. */
export interface CaptureContext extends EgressContext {
  recentPorts: RecentPorts;
  kernelRefusals: KernelRefusals;
}

/** The network of one sandbox. */
export interface NetworkNamespace {
  /** Open descriptor of the network namespace, for `nsenter --net=/proc/self/fd/N`. */
  readonly netFd: number;
  /**
   * Open descriptor of the user namespace that owns the network namespace; null where this process is root.
   */
  readonly userFd: number | null;
  /** Closes the connections that the new policy does not allow. Opens newly named ports in the background. */
  setPolicy(policy: EgressPolicy): void;
  /**
   * Starts watching. The returned function lists the denials since then, one per host, at most a thousand.
   */
  watchDenied(): () => EgressDenied[];
  /** Closes the namespace. Idempotent. */
  close(): Promise<void>;
}

/** A namespace with its listeners. */
export class ListeningNamespace implements NetworkNamespace {
  readonly netFd: number;
  readonly userFd: number | null;
  readonly #bare: BareNamespace;
  readonly #recentPorts: RecentPorts;
  readonly #network: SandboxNetwork;
  readonly #added: Listeners[] = [];
  readonly #ports: Set<number>;
  readonly #stopWatching: () => void;
  #openingPorts: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  readonly #closed = Promise.withResolvers<void>();

  constructor(bare: BareNamespace, options: NamespaceOptions, context: CaptureContext) {
    this.netFd = bare.netFd;
    this.userFd = bare.userFd;
    this.#network = new SandboxNetwork(options, context);
    this.#bare = closeOtherPorts(bare, [...DEFAULT_PORTS, ...this.#network.ports]);
    this.#ports = new Set(this.#bare.listeners.tcp.map(({ port }) => port));
    this.#recentPorts = context.recentPorts;
    this.#serve(this.#bare.listeners);
    this.#stopWatching = context.kernelRefusals.watch(this.netFd, ({ protocol, ...dialled }) =>
      this.#network.refused(protocol, dialled),
    );
  }

  setPolicy(policy: EgressPolicy): void {
    this.#network.setPolicy(policy);
    this.openPorts().catch((error: Error) => {
      this.#network.log(`egress: a port could not be opened: ${error.message}`);
    });
  }

  watchDenied(): () => EgressDenied[] {
    return this.#network.watchDenied();
  }

  /** Listens at the policy's ports where nothing listens yet. Rejects when one cannot be opened. */
  openPorts(): Promise<void> {
    this.#recentPorts.add(this.#network.ports);
    const opening = this.#openingPorts.then(() => this.#openMissingPorts());
    this.#openingPorts = opening.catch(() => {});
    return opening;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Resolves when the namespace has been closed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    this.#network.close();
    await this.#openingPorts;
    for (const listeners of this.#added) closeListeners(listeners);
    releaseNamespace(this.#bare);
    this.#closed.resolve();
  }

  async #openMissingPorts(): Promise<void> {
    const missing = this.#network.ports.filter((port) => !this.#ports.has(port));
    if (missing.length === 0 || this.#closing !== null) return;
    this.#added.push(await listenAt(this.#bare, missing, (client) => this.#onConnection(client)));
    for (const port of missing) this.#ports.add(port);
  }

  #serve({ tcp, udp }: Listeners): void {
    for (const { server } of tcp) server.on("connection", (client) => this.#onConnection(client));
    for (const { socket } of udp) {
      socket.on("message", (message, from) => this.#onQuery(socket, message, from));
      socket.on("error", () => {});
    }
  }

  /** Serves a connection. Every address is local, so the socket's local address is the dialled one. */
  #onConnection(client: Socket): void {
    client.allowHalfOpen = true;
    client.setNoDelay(true);
    const address = (client.localAddress ?? "").replace(/^::ffff:(?=[0-9.]+$)/, "");
    this.#network.serve(client, { address, port: client.localPort ?? 0 });
  }

  #onQuery(socket: DatagramSocket, message: Buffer, from: RemoteInfo): void {
    const response = this.#network.respond(message);
    if (response !== null && from.port > 0) socket.send(response, from.port, from.address, () => {});
  }
}
