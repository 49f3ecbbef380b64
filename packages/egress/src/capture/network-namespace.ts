import type { Socket as DatagramSocket, RemoteInfo } from "node:dgram";
import type { Socket } from "node:net";
import { isLoopback } from "../addresses/address-guard.ts";
import { SyntheticAddresses } from "../addresses/synthetic-addresses.ts";
import { respondToQuery } from "../dns/respond-to-query.ts";
import { serveDnsOverTcp } from "../dns/serve-dns-over-tcp.ts";
import { type CredentialSource, credentialsAt } from "../mitm/proxied-credential.ts";
import type { HostName } from "../names/host-name.ts";
import { DenialLog, type EgressDenied } from "../policy/denial-log.ts";
import { type EgressPolicy, type Policy, parsePolicy } from "../policy/policy.ts";
import { serveProxy } from "../proxy/serve-proxy.ts";
import type { ConnectionPolicy, EgressContext } from "../relay/connection-policy.ts";
import { forward } from "../relay/forward.ts";
import { identify, type OriginalDestination } from "../relay/identify.ts";
import {
  type BareNamespace,
  closeOtherPorts,
  DEFAULT_PORTS,
  DNS_PORT,
  listenAt,
  PROXY_PORT,
  releaseNamespace,
} from "./bare-namespace.ts";
import type { KernelRefusals } from "./kernel-refusals.ts";
import { closeListeners, type Listeners } from "./listeners.ts";
import { rateLimitedLog } from "./rate-limited-log.ts";
import type { RecentPorts } from "./recent-ports.ts";
import type { Refusal } from "./refusal-listener.ts";

export interface NamespaceOptions {
  policy: EgressPolicy;
  credentials?: CredentialSource;
  onDenied?: (denied: EgressDenied) => void;
  /**
   * Open descriptor of a namespace that the caller made for one sandbox and in which only its loopback exists. It is prepared
   * instead of a new one. Only as root. The descriptor stays the caller's.
   */
  netFd?: number;
}

/** What all namespaces of one egress share. */
export interface CaptureContext extends EgressContext {
  recentPorts: RecentPorts;
  kernelRefusals: KernelRefusals;
}

/** At more connections at once, new ones are closed. */
const MAX_CONNECTIONS = 512;

/** The network of one sandbox. */
export interface NetworkNamespace {
  /** Open descriptor of the network namespace, for `nsenter --net=/proc/self/fd/N`. */
  readonly netFd: number;
  /** Open descriptor of the user namespace that owns it, where this process is not root; else null. */
  readonly userFd: number | null;
  /** Closes the connections that the new policy does not allow. Newly named ports are opened shortly after. */
  setPolicy(policy: EgressPolicy): void;
  /** Starts watching; the returned function lists what was denied since, each host once, at most a thousand. */
  watchDenied(): () => EgressDenied[];
  /** May be called again. */
  close(): Promise<void>;
}

/** A namespace with its listeners. Each DNS query and each connection is checked against the policy of that moment. */
export class ListeningNamespace implements NetworkNamespace {
  readonly netFd: number;
  readonly userFd: number | null;
  readonly #bare: BareNamespace;
  readonly #context: CaptureContext;
  readonly #connectionPolicy: ConnectionPolicy;
  readonly #denials: DenialLog;
  readonly #addresses = new SyntheticAddresses();
  readonly #connections = new Map<Socket, { name: HostName; port: number } | null>();
  readonly #added: Listeners[] = [];
  readonly #ports: Set<number>;
  readonly #stopWatching: () => void;
  #policy: Policy;
  #openingPorts: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  readonly #closed = Promise.withResolvers<void>();

  constructor(bare: BareNamespace, options: NamespaceOptions, context: CaptureContext) {
    this.netFd = bare.netFd;
    this.userFd = bare.userFd;
    this.#policy = parsePolicy(options.policy);
    this.#bare = closeOtherPorts(bare, [...DEFAULT_PORTS, ...this.#policy.ports]);
    this.#ports = new Set(this.#bare.listeners.tcp.map(({ port }) => port));
    this.#context = { ...context, log: rateLimitedLog(context.log) };
    this.#denials = new DenialLog(options.onDenied ?? (() => {}));
    this.#connectionPolicy = {
      allows: (name, port) => this.#policy.allows(name, port),
      deny: (denied) => this.#denials.add(denied),
      credentialsAt: async (destination) =>
        options.credentials === undefined ? [] : credentialsAt(await options.credentials(), destination),
      admitted: (client, name, port) => {
        if (!client.destroyed) this.#connections.set(client, { name, port });
      },
    };
    this.#serve(this.#bare.listeners);
    this.#stopWatching = context.kernelRefusals.watch(this.netFd, (refusal) => this.#onRefusal(refusal));
  }

  setPolicy(policy: EgressPolicy): void {
    this.#policy = parsePolicy(policy);
    for (const [client, host] of this.#connections) {
      if (host !== null && !this.#policy.allows(host.name, host.port)) client.destroy();
    }
    this.openPorts().catch((error: Error) => {
      this.#context.log(`egress: a port could not be opened: ${error.message}`);
    });
  }

  watchDenied(): () => EgressDenied[] {
    return this.#denials.watch();
  }

  /** Listens at the ports that the policy names and where nothing listens yet. Rejects when it cannot. */
  openPorts(): Promise<void> {
    this.#context.recentPorts.add(this.#policy.ports);
    const opening = this.#openingPorts.then(() => this.#openMissingPorts());
    this.#openingPorts = opening.catch(() => {});
    return opening;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Resolves after `close`. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    for (const client of this.#connections.keys()) client.destroy();
    await this.#openingPorts;
    for (const listeners of this.#added) closeListeners(listeners);
    releaseNamespace(this.#bare);
    this.#closed.resolve();
  }

  async #openMissingPorts(): Promise<void> {
    const missing = this.#policy.ports.filter((port) => !this.#ports.has(port));
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

  #onConnection(client: Socket): void {
    if (this.#closing !== null || this.#connections.size >= MAX_CONNECTIONS) {
      client.destroy();
      return;
    }
    client.allowHalfOpen = true;
    client.setNoDelay(true);
    this.#connections.set(client, null);
    client.once("close", () => this.#connections.delete(client));
    const original = this.#originalDestination(client);
    if (original.port === DNS_PORT && original.name === null)
      serveDnsOverTcp(client, (message) => this.#respond(message));
    else void this.#connect(client, original);
  }

  /** Every address is local, so the local address of the accepted socket is the one that the client dialled. */
  #originalDestination(client: Socket): OriginalDestination {
    const address = (client.localAddress ?? "").replace(/^::ffff:(?=[0-9.]+$)/, "");
    return { name: this.#addresses.nameOf(address), address, port: client.localPort ?? 0 };
  }

  /** Connects a client to the host that it names, or closes the connection. Never rejects. */
  async #connect(client: Socket, original: OriginalDestination): Promise<void> {
    const [policy, context] = [this.#connectionPolicy, this.#context];
    client.on("error", () => client.destroy());
    try {
      if (original.port === PROXY_PORT && original.name === null && isLoopback(original.address))
        return await serveProxy(client, original, policy, context);
      await forward(client, await identify(client, original, context.headLimits), policy, context);
    } catch (error) {
      context.log(`egress: a connection failed: ${error instanceof Error ? error.message : "unknown"}`);
      client.destroy();
    }
  }

  /** A port that the policy names may not be open yet, so its refusal is no denial. */
  #onRefusal({ protocol, address, port }: Refusal): void {
    const name = this.#addresses.nameOf(address);
    const isAllowed = name !== null && this.#policy.allows(name, port);
    if (isAllowed && protocol === "tcp") return;
    const reason = isAllowed ? "unknown_protocol" : "not_allowed";
    this.#denials.add({ host: name ?? address, port, reason });
  }

  #onQuery(socket: DatagramSocket, message: Buffer, from: RemoteInfo): void {
    const response = this.#respond(message);
    if (response !== null && from.port > 0) socket.send(response, from.port, from.address, () => {});
  }

  #respond(message: Buffer): Buffer | null {
    const addressFor = (name: HostName): string | null =>
      this.#policy.allowsName(name) ? this.#addresses.addressOf(name) : null;
    const deny = (host: string): void => this.#denials.add({ host, port: null, reason: "not_allowed" });
    return respondToQuery(message, addressFor, deny);
  }
}
