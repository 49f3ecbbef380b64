import type { Socket as DatagramSocket, RemoteInfo } from "node:dgram";
import type { Socket } from "node:net";
import { answerDns } from "../dns/respond-to-query.ts";
import { handleConnection, placeOf } from "./connection.ts";
import { credentialsAt } from "../mitm/proxied-credential.ts";
import { Denials } from "../policy/denial-log.ts";
import type { NamespaceOptions, NetworkNamespace } from "../egress.ts";
import type { HostName } from "../names/host-name.ts";
import { limitedLog } from "./rate-limited-log.ts";
import {
  type BareNamespace,
  dnsPort,
  listenAt,
  listenedPorts,
  narrowed,
  releaseNamespace,
} from "./bare-namespace.ts";
import { closeListeners, type Listeners } from "./namespace-helper.ts";
import { type Policy, parsePolicy } from "../policy/policy.ts";
import type { Refusal } from "./refusal-listener.ts";
import { serveDnsOverTcp } from "../dns/serve-dns-over-tcp.ts";
import type { Gate, Surroundings } from "../relay/connection-policy.ts";
import { SyntheticAddresses } from "../addresses/synthetic-addresses.ts";
import type { EgressDenied, EgressPolicy } from "../policy/types.ts";

/** More at once than this are closed as they come. */
const maximumConnections = 512;

/** One sandbox's way out. Each name and each connection is judged by the policy of that moment. */
export class SessionNamespace implements NetworkNamespace {
  readonly netFd: number;
  readonly userFd: number | null;
  readonly #bare: BareNamespace;
  readonly #surroundings: Surroundings;
  readonly #gate: Gate;
  readonly #denials: Denials;
  readonly #addresses = new SyntheticAddresses();
  readonly #connections = new Map<Socket, { name: HostName; port: number } | null>();
  readonly #added: Listeners[] = [];
  readonly #ports: Set<number>;
  readonly #unwatch: () => void;
  #policy: Policy;
  #widening: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  readonly #gone = Promise.withResolvers<void>();

  constructor(bare: BareNamespace, options: NamespaceOptions, surroundings: Surroundings) {
    this.netFd = bare.netFd;
    this.userFd = bare.userFd;
    this.#policy = parsePolicy(options.policy);
    this.#bare = narrowed(bare, [...listenedPorts, ...this.#policy.ports]);
    this.#ports = new Set(this.#bare.listeners.tcp.map(({ port }) => port));
    this.#surroundings = { ...surroundings, log: limitedLog(surroundings.log) };
    this.#denials = new Denials(options.onDenied ?? (() => {}));
    this.#gate = {
      addresses: this.#addresses,
      allows: (name, port) => this.#policy.allows(name, port),
      deny: (denied) => this.#denials.add(denied),
      credentialsAt: async (destination) =>
        options.credentials === undefined ? [] : credentialsAt(await options.credentials(), destination),
      admitted: (client, name, port) => {
        if (!client.destroyed) this.#connections.set(client, { name, port });
      },
    };
    this.#serve(this.#bare.listeners);
    this.#unwatch = surroundings.refusals.watch(this.netFd, (refusal) => this.#onRefusal(refusal));
  }

  /** Ends the connections that the new policy does not allow. New ports listen a moment later. */
  setPolicy(policy: EgressPolicy): void {
    this.#policy = parsePolicy(policy);
    for (const [client, host] of this.#connections) {
      if (host !== null && !this.#policy.allows(host.name, host.port)) client.destroy();
    }
    this.openPorts().catch((error: Error) => {
      this.#surroundings.log(`egress: a port could not be opened: ${error.message}`);
    });
  }

  watchDenied(): () => EgressDenied[] {
    return this.#denials.watch();
  }

  /** Listens at the ports that the policy names and that do not listen yet. Rejects when it cannot. */
  openPorts(): Promise<void> {
    this.#surroundings.namedPorts.add(this.#policy.ports);
    const opening = this.#widening.then(() => this.#openMissingPorts());
    this.#widening = opening.catch(() => {});
    return opening;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Resolves after `close`. */
  get closed(): Promise<void> {
    return this.#gone.promise;
  }

  async #close(): Promise<void> {
    this.#unwatch();
    for (const client of this.#connections.keys()) client.destroy();
    await this.#widening;
    for (const listeners of this.#added) closeListeners(listeners);
    releaseNamespace(this.#bare);
    this.#gone.resolve();
  }

  async #openMissingPorts(): Promise<void> {
    const missing = this.#policy.ports.filter((port) => !this.#ports.has(port));
    if (missing.length === 0 || this.#closing !== null) return;
    const listeners = await listenAt(this.#bare, missing);
    this.#added.push(listeners);
    for (const port of missing) this.#ports.add(port);
    this.#serve(listeners);
  }

  #serve({ tcp, udp }: Listeners): void {
    for (const { server } of tcp) server.on("connection", (client) => this.#onConnection(client));
    for (const { socket } of udp) {
      socket.on("message", (message, from) => this.#onQuestion(socket, message, from));
      socket.on("error", () => {});
    }
  }

  #onConnection(client: Socket): void {
    if (this.#closing !== null || this.#connections.size >= maximumConnections) {
      client.destroy();
      return;
    }
    client.allowHalfOpen = true;
    client.setNoDelay(true);
    this.#connections.set(client, null);
    client.once("close", () => this.#connections.delete(client));
    const { name, port } = placeOf(client, this.#addresses);
    if (port === dnsPort && name === null) serveDnsOverTcp(client, (message) => this.#answer(message));
    else void handleConnection(client, this.#gate, this.#surroundings);
  }

  /** A port that the policy names may not be listened at yet. */
  #onRefusal({ protocol, address, port }: Refusal): void {
    const name = this.#addresses.nameOf(address);
    const isAllowed = name !== null && this.#policy.allows(name, port);
    if (isAllowed && protocol === "tcp") return;
    const reason = isAllowed ? "unknown_protocol" : "not_allowed";
    this.#denials.add({ host: name ?? address, port, reason });
  }

  #onQuestion(socket: DatagramSocket, message: Buffer, from: RemoteInfo): void {
    const answer = this.#answer(message);
    if (answer !== null && from.port > 0) socket.send(answer, from.port, from.address, () => {});
  }

  #answer(message: Buffer): Buffer | null {
    const addressFor = (name: HostName): string | null =>
      this.#policy.allowsName(name) ? this.#addresses.addressOf(name) : null;
    const deny = (host: string): void => this.#denials.add({ host, port: null, reason: "not_allowed" });
    return answerDns(message, addressFor, deny);
  }
}
