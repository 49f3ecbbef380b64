import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { KeyPair } from "../mitm/openssl.ts";
import { readHead } from "../protocols/read-head.ts";
import type { EgressContext } from "../relay/connection-policy.ts";
import { createContext, type RelayOptions } from "../relay/relay-options.ts";
import { encodeFrame, FrameDecoder } from "./frames.ts";
import { Tunnel, type TunnelGrant } from "./tunnel.ts";

/** Id and secret with which a sidecar opens its tunnel. */
export interface TunnelTicket {
  id: string;
  token: string;
}

export interface GatewayOptions extends RelayOptions {
  address: { host: string; port: number };
  /** PEM of the authority of both sides' certificates, and of the gateway's own certificate and key. */
  tls: KeyPair & { authority: string };
  /**
   * Returns what the tunnels of these tickets may reach, by id. A missing entry means that the ticket is
   * unknown or expired. Called for each new tunnel, and for all open tunnels every two seconds and after a
   * hint.
   */
  grants(tickets: readonly TunnelTicket[]): Promise<ReadonlyMap<string, TunnelGrant>>;
  /** Milliseconds between calls of `grants` for open tunnels. Default: 2,000. */
  pollMs?: number;
  /** Milliseconds after which tunnels are closed when `grants` keeps failing. Default: 15,000. */
  unknownMs?: number;
}

/** A gateway that is listening. */
export interface EgressGateway {
  /** Port at which the gateway listens. */
  readonly port: number;
  readonly openTunnels: number;
  /** Reads again what tunnels may reach. Default: all tunnels. Rejects when `grants` rejects. */
  refresh(ids?: readonly string[]): Promise<void>;
  /** Replaces the certificate for new tunnels, before it expires. */
  replaceCertificate(pair: KeyPair): void;
  close(): Promise<void>;
}

/** Milliseconds for each of both: as long as a sidecar, whose node may be busy, waits for the gateway. */
const HANDSHAKE_MS = 30_000;
/** Limits for the first frame, with which the sidecar identifies itself. */
const HELLO = { bytes: 4_096, milliseconds: HANDSHAKE_MS };

interface Open {
  ticket: TunnelTicket;
  tunnel: Tunnel;
}

/** Serves the tunnels of sandboxes that run on other hosts. Rejects when it cannot listen. */
export async function openGateway(options: GatewayOptions): Promise<EgressGateway> {
  const context = createContext(options);
  const { authority: ca, certificate: cert, key } = options.tls;
  const server = createServer({
    ...{ ca, cert, key, requestCert: true, rejectUnauthorized: true, minVersion: "TLSv1.3" },
    handshakeTimeout: HANDSHAKE_MS,
    noDelay: true,
  });
  const gateway = new Gateway(server, options, context);
  server.listen(options.address);
  await once(server, "listening");
  return gateway;
}

class Gateway implements EgressGateway {
  readonly #server: Server;
  readonly #options: GatewayOptions;
  readonly #context: EgressContext;
  readonly #sockets = new Set<TLSSocket>();
  readonly #open = new Map<string, Open>();
  readonly #polling: NodeJS.Timeout;
  #knownAt = performance.now();

  constructor(server: Server, options: GatewayOptions, context: EgressContext) {
    this.#server = server;
    this.#options = options;
    this.#context = context;
    server.on("secureConnection", (socket) => void this.#accept(socket));
    server.on("tlsClientError", ({ message }) => context.log(`egress: no tunnel: ${message}`));
    this.#polling = setInterval(() => void this.#poll(), options.pollMs ?? 2_000).unref();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get openTunnels(): number {
    return this.#open.size;
  }

  async refresh(ids: readonly string[] = [...this.#open.keys()]): Promise<void> {
    const asked = ids.flatMap((id) => this.#open.get(id) ?? []);
    if (asked.length === 0) return;
    const grants = await this.#options.grants(asked.map(({ ticket }) => ticket));
    for (const { ticket, tunnel } of asked) {
      const grant = grants.get(ticket.id);
      if (grant === undefined) tunnel.close();
      else tunnel.update(grant);
    }
  }

  replaceCertificate({ certificate: cert, key }: KeyPair): void {
    this.#server.setSecureContext({ ca: this.#options.tls.authority, cert, key, minVersion: "TLSv1.3" });
  }

  async close(): Promise<void> {
    clearInterval(this.#polling);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #poll(): Promise<void> {
    try {
      await this.refresh();
      this.#knownAt = performance.now();
    } catch (error) {
      this.#context.log(`egress: the destinations of tunnels are not known: ${(error as Error).message}`);
      if (performance.now() - this.#knownAt < (this.#options.unknownMs ?? 15_000)) return;
      for (const { tunnel } of this.#open.values()) tunnel.close();
    }
  }

  /** Accepts a tunnel. Never rejects. */
  async #accept(socket: TLSSocket): Promise<void> {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setKeepAlive(true, 10_000);
    try {
      const hello = await readHead<Hello>(socket, readHello, HELLO);
      if (hello?.kind !== "ticket") return refuse(socket);
      const { id, token } = hello;
      const grant = (await this.#options.grants([{ id, token }])).get(id);
      if (grant === undefined) return refuse(socket);
      if (!socket.destroyed) await this.#serve({ id, token }, new Tunnel(socket, grant, this.#context));
    } catch (error) {
      this.#context.log(`egress: a tunnel failed: ${(error as Error).message}`);
      socket.destroy();
    }
  }

  /** Serves a tunnel. A sandbox's new tunnel replaces its previous one. */
  async #serve(ticket: TunnelTicket, tunnel: Tunnel): Promise<void> {
    this.#open.get(ticket.id)?.tunnel.close();
    const own = { ticket, tunnel };
    this.#open.set(ticket.id, own);
    void tunnel.closed.then(() => {
      if (this.#open.get(ticket.id) === own) this.#open.delete(ticket.id);
    });
    // The grant may have changed since it was read, while no hint could find the tunnel.
    await this.refresh([ticket.id]);
  }
}

type Hello = { kind: "more" } | { kind: "refused" } | ({ kind: "ticket" } & TunnelTicket);

/** Reads the first frame of a tunnel. Never throws. */
function readHello(bytes: Buffer): Hello {
  try {
    const [frame] = new FrameDecoder().push(bytes);
    if (frame === undefined) return { kind: "more" };
    const { id, token } = JSON.parse(frame.body.toString()) as Record<string, unknown>;
    if (frame.kind === "H" && typeof id === "string" && typeof token === "string")
      return { kind: "ticket", id, token };
  } catch {
    // A frame that cannot be decoded does not come from a sidecar.
  }
  return { kind: "refused" };
}

/** Refuses a connection. The sidecar does not try again. */
function refuse(socket: TLSSocket): void {
  socket.write(encodeFrame(0, "N"));
  socket.destroySoon();
}
