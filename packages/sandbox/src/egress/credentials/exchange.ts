import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, TLSSocket } from "node:tls";
import type { EgressDenied, SandboxCredential } from "../../sandbox.ts";
import type { Authority } from "./authority.ts";
import { forwardRequest } from "./forward-request.ts";
import type { Destination } from "./targets.ts";
import { UpstreamAgent } from "./upstream-agent.ts";

export interface ExchangeOptions {
  authority: Authority;
  /** PEM of the authorities that upstream hosts are verified against. Default: those that Node comes with. */
  trusted?: readonly string[];
  /** Milliseconds for the TLS handshake of a client. */
  handshakeMs: number;
  log: (line: string) => void;
}

/** A connection to a host that a credential is for. Nothing of it was read yet, or all of that was put back. */
export interface ExchangeConnection extends Destination {
  client: Socket;
  /** Connects to the host; null when it is refused or cannot be reached, which has been recorded. */
  dial(): Promise<Socket | null>;
  /** Whose it is: the connections of one sandbox share what memory is set aside for bodies. */
  owner: object;
  /** Those for this host, as they are now. */
  credentials(): Promise<readonly SandboxCredential[]>;
  deny(denied: EgressDenied): void;
}

/**
 * Puts credentials into what sandboxes send. A connection is ended here, in TLS with a certificate of the installation's own
 * authority; each request is read by Node's strict parser, written anew, and sent over a connection of this process, whose
 * certificate is verified. HTTP/1.1 is spoken on both sides.
 */
export interface Exchange {
  /** Serves the connection until it ends. Rejects when the handshake fails; the caller closes the client then. */
  take(connection: ExchangeConnection): Promise<void>;
}

/** As for connections that are not opened. */
const maximumHeadBytes = 32_768;
/** Of a connection on which nothing moves. */
const idleMs = 600_000;
const keepAliveMs = 60_000;
const http11 = Buffer.from("\x08http/1.1");

export function createExchange({
  authority,
  trusted = rootCertificates,
  handshakeMs,
  log,
}: ExchangeOptions): Exchange {
  const trust = createSecureContext({ ca: [...trusted], minVersion: "TLSv1.2" });
  const connections = new WeakMap<Socket, { connection: ExchangeConnection; agent: UpstreamAgent }>();
  const server = createServer(
    {
      maxHeaderSize: maximumHeadBytes,
      insecureHTTPParser: false,
      requireHostHeader: true,
      keepAliveTimeout: keepAliveMs,
      requestTimeout: 0,
      noDelay: true,
    },
    (request, response) => {
      const known = connections.get(request.socket);
      if (known === undefined) request.destroy();
      else forwardRequest({ ...known, request, response, log }).catch(() => request.socket.destroy());
    },
  );
  server.timeout = idleMs;

  async function accept({ client, name }: ExchangeConnection): Promise<Socket> {
    const secureContext = await authority.contextFor(name);
    const socket = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols: http11 });
    try {
      await once(socket, "secure", { signal: AbortSignal.timeout(handshakeMs) });
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return socket;
  }

  return {
    async take(connection) {
      const socket = connection.protocol === "tls" ? await accept(connection) : connection.client;
      const agent = new UpstreamAgent(connection, trust);
      connections.set(socket, { connection, agent });
      socket.on("error", () => socket.destroy());
      socket.once("close", () => agent.destroy());
      server.emit("connection", socket);
    },
  };
}
