import { isLoopback } from "../addresses/address-guard.ts";
import { SyntheticAddresses } from "../addresses/synthetic-addresses.ts";
import { respondToQuery } from "../dns/respond-to-query.ts";
import { serveDnsOverTcp } from "../dns/serve-dns-over-tcp.ts";
import { type CredentialSource, credentialsAt } from "../mitm/proxied-credential.ts";
import type { HostName } from "../names/host-name.ts";
import { DenialLog, type EgressDenied } from "../policy/denial-log.ts";
import { type EgressPolicy, type Policy, parsePolicy } from "../policy/policy.ts";
import type { Client } from "../protocols/client.ts";
import { serveProxy } from "../proxy/serve-proxy.ts";
import type { ConnectionPolicy, EgressContext } from "../relay/connection-policy.ts";
import { forward } from "../relay/forward.ts";
import { identify, type OriginalDestination } from "../relay/identify.ts";
import { type SandboxService, type ServicesByHost, servicesByHost } from "../relay/sandbox-service.ts";
import { DNS_PORT, PROXY_PORT } from "./ports.ts";
import { rateLimitedLog } from "./rate-limited-log.ts";

export interface NetworkOptions {
  policy: EgressPolicy;
  credentials?: CredentialSource;
  /** Hosts that Berth answers for this sandbox. Default: none. */
  services?: readonly SandboxService[];
  onDenied?: (denied: EgressDenied) => void;
  /** Milliseconds after which the same host is reported again. Default: 1,000. */
  repeatMs?: number;
}

/** The address and port that a client connected to. */
export type Dialled = Pick<OriginalDestination, "address" | "port">;

/** Maximum number of connections at once; further ones are closed. */
const MAX_CONNECTIONS = 512;

/**
 * The network of one sandbox, wherever its connections are captured. Checks each DNS query and each
 * connection against the policy of that moment.
 */
export class SandboxNetwork {
  readonly #context: EgressContext;
  readonly #connectionPolicy: ConnectionPolicy;
  readonly #denials: DenialLog;
  readonly #addresses: SyntheticAddresses;
  readonly #services: ServicesByHost;
  readonly #connections = new Map<Client, { name: HostName; port: number } | null>();
  #policy: Policy;
  #isClosed = false;

  /** @param addresses Default: a new map that starts at the first address. */
  constructor(options: NetworkOptions, context: EgressContext, addresses = new SyntheticAddresses()) {
    this.#policy = parsePolicy(options.policy);
    this.#context = { ...context, log: rateLimitedLog(context.log) };
    this.#addresses = addresses;
    this.#services = servicesByHost(options.services);
    this.#denials = new DenialLog(options.onDenied ?? (() => {}), options.repeatMs);
    this.#connectionPolicy = {
      allows: (name, port) => this.#allows(name, port),
      deny: (denied) => this.#denials.add(denied),
      services: this.#services,
      credentialsAt: async (destination) =>
        options.credentials === undefined ? [] : credentialsAt(await options.credentials(), destination),
      admitted: (client, name, port) => {
        if (!client.destroyed) this.#connections.set(client, { name, port });
      },
    };
  }

  /** Ports that the policy names, other than 80 and 443. */
  get ports(): readonly number[] {
    return this.#policy.ports;
  }

  /** Logs a line about this sandbox; lines beyond the rate limit are dropped. */
  log(line: string): void {
    this.#context.log(line);
  }

  /** Replaces the policy and closes connections that it denies. @throws EgressError for an invalid host. */
  setPolicy(policy: EgressPolicy): void {
    this.#policy = parsePolicy(policy);
    for (const [client, host] of this.#connections) {
      if (host !== null && !this.#allows(host.name, host.port)) client.destroy();
    }
  }

  /**
   * Starts watching. The returned function lists the denials since then, one per host, at most a thousand.
   */
  watchDenied(): () => EgressDenied[] {
    return this.#denials.watch();
  }

  /** Serves a connection of the sandbox to the address that it dialled. */
  serve(client: Client, dialled: Dialled): void {
    if (this.#isClosed || this.#connections.size >= MAX_CONNECTIONS) {
      client.destroy();
      return;
    }
    this.#connections.set(client, null);
    client.once("close", () => this.#connections.delete(client));
    const original = { ...dialled, name: this.#addresses.nameOf(dialled.address) };
    if (original.port === DNS_PORT && original.name === null)
      serveDnsOverTcp(client, (message) => this.respond(message));
    else void this.#connect(client, original);
  }

  /** Responds to a DNS message. Returns null when no response is to be sent. */
  respond(message: Buffer): Buffer | null {
    const mayResolve = (name: HostName): boolean =>
      this.#services.has(name) || (this.#policy.allowsName(name) && !this.#context.refuses(name));
    const addressFor = (name: HostName): string | null =>
      mayResolve(name) ? this.#addresses.addressOf(name) : null;
    const deny = (host: string): void => this.#denials.add({ host, port: null, reason: "not_allowed" });
    return respondToQuery(message, addressFor, deny);
  }

  /** Reports a refusal by the kernel, except at a port of the policy, which may not be open yet. */
  refused(protocol: "tcp" | "udp", { address, port }: Dialled): void {
    const name = this.#addresses.nameOf(address);
    const isAllowed = name !== null && this.#allows(name, port);
    if (isAllowed && protocol === "tcp") return;
    const reason = isAllowed ? "unknown_protocol" : "not_allowed";
    this.#denials.add({ host: name ?? address, port, reason });
  }

  /** Closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const client of this.#connections.keys()) client.destroy();
  }

  #allows(name: HostName, port: number): boolean {
    return this.#policy.allows(name, port) && !this.#context.refuses(name);
  }

  /** Connects a client to the host that it names, or closes the connection. Never rejects. */
  async #connect(client: Client, original: OriginalDestination): Promise<void> {
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
}
