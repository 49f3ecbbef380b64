import { once } from "node:events";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, TLSSocket } from "node:tls";
import type { Authority } from "./certificate-authority.ts";
import type { ExchangeConnection } from "./mitm-connection.ts";
import { forwardRequest } from "./forward-request.ts";
import type { Forwarding } from "./forwarding.ts";
import { UpstreamAgent } from "./upstream-agent.ts";

export interface ExchangeOptions {
  authority: Authority;
  /** PEM of the authorities that upstream hosts are verified against. Default: those that Node comes with. */
  trusted?: readonly string[];
  /** Milliseconds for the TLS handshake of a client. */
  handshakeMs: number;
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
/** Of one sandbox at a time: each of them may have half a megabyte of an answer that nobody reads. */
const mostConnections = 128;
/** Requests that wait on one connection for those before them. Some clients send a few ahead; one that sends more is cut off. */
const mostWaiting = 32;
/** Of a connection on which nothing moves. */
const idleMs = 600_000;
const keepAliveMs = 60_000;
const http11 = Buffer.from("\x08http/1.1");

/** A connection that is open. */
interface Served {
  connection: ExchangeConnection;
  agent: UpstreamAgent;
  waiting: number;
  /** Settles when the last request that came was answered. */
  last: Promise<void>;
}

export function createExchange({
  authority,
  trusted = rootCertificates,
  handshakeMs,
}: ExchangeOptions): Exchange {
  const trust = createSecureContext({ ca: [...trusted], minVersion: "TLSv1.2" });
  const connections = new WeakMap<Socket, Served>();
  const open = new WeakMap<object, number>();
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
      const served = connections.get(request.socket);
      if (served === undefined) request.destroy();
      else inTurn(served, { ...served, request, response });
    },
  );
  server.timeout = idleMs;

  /** Requests of a connection go on one after another: the next one when the answer to this one was given. */
  function inTurn(served: Served, forwarding: Forwarding): void {
    const { request, response } = forwarding;
    const { socket } = request;
    if (socket.destroyed) return;
    if (served.waiting >= mostWaiting) {
      socket.destroy();
      return;
    }
    const answered = new Promise<void>((resolve) => response.once("close", resolve));
    served.waiting += 1;
    served.last = served.last
      .then(async () => {
        served.waiting -= 1;
        if (socket.destroyed) return;
        await forwardRequest(forwarding);
        await answered;
      })
      .catch(() => void socket.destroy());
  }

  /** Counts the connection until it ends. */
  function admit({ client, owner }: ExchangeConnection): void {
    const count = open.get(owner) ?? 0;
    if (count >= mostConnections)
      throw new Error("a sandbox has too many connections to hosts of credentials.");
    open.set(owner, count + 1);
    client.once("close", () => open.set(owner, (open.get(owner) ?? 0) - 1));
  }

  async function accept({ client, name, owner }: ExchangeConnection): Promise<Socket> {
    const secureContext = await authority.contextFor(name, owner);
    if (client.destroyed) throw new Error("The client has left.");
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
      if (connection.client.destroyed) return;
      admit(connection);
      const socket = connection.protocol === "tls" ? await accept(connection) : connection.client;
      const agent = new UpstreamAgent(connection, trust);
      connections.set(socket, { connection, agent, waiting: 0, last: Promise.resolve() });
      socket.on("error", () => socket.destroy());
      socket.once("close", () => agent.destroy());
      server.emit("connection", socket);
    },
  };
}
