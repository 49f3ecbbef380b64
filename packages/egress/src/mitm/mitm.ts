import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext, TLSSocket } from "node:tls";
import type { Client } from "../protocols/client.ts";
import type { CertificateAuthority } from "./certificate-authority.ts";
import { forwardRequest } from "./forward-request.ts";
import type { MitmConnection } from "./mitm-connection.ts";
import { UpstreamAgent } from "./upstream-agent.ts";

export interface MitmOptions {
  /** Signs certificates for the hosts whose connections are opened. */
  authority: CertificateAuthority;
  /** PEM of the authorities that upstream hosts are verified against. Default: those built into Node. */
  trusted?: readonly string[];
  /** Prefix of the text of error responses that clients get. Default: `egress: `. */
  errorPrefix?: string;
}

/** Maximum bytes of a request head, the same as for connections that are not opened. */
const MAX_HEAD_BYTES = 32_768;
/** Maximum connections per owner. Each may hold half a megabyte of a response that nobody reads. */
const MAX_CONNECTIONS = 128;
/**
 * Maximum pipelined requests that wait on one connection, which a further one closes. Some clients send a
 * few.
 */
const MAX_WAITING = 32;
/** Milliseconds after which a connection without traffic is closed. */
const IDLE_MS = 600_000;
const KEEP_ALIVE_MS = 60_000;
/** Responses to requests that the parser rejects. */
const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};
const HTTP11 = Buffer.from("\x08http/1.1");

interface OpenConnection {
  connection: MitmConnection;
  agent: UpstreamAgent;
  waiting: number;
  /** Response to the last request; null before the first request and after the response has ended. */
  response: ServerResponse | null;
  /** Settles when the last request has its response. */
  last: Promise<void>;
}

/**
 * Injects credentials into requests of sandboxes, as a man in the middle. It terminates a client's TLS
 * connection with a certificate of the installation's own authority. Node's strict parser parses each
 * request, which is then written anew and sent over a separate connection that verifies the host's
 * certificate. Both sides speak HTTP/1.1.
 */
export class Mitm {
  readonly #authority: CertificateAuthority;
  readonly #trust: SecureContext;
  readonly #handshakeMs: number;
  readonly #errorPrefix: string;
  readonly #connections = new WeakMap<Client, OpenConnection>();
  readonly #counts = new WeakMap<object, number>();
  readonly #server: Server;

  /** @param handshakeMs Milliseconds for a client's TLS handshake. */
  constructor(options: MitmOptions, handshakeMs: number) {
    this.#authority = options.authority;
    this.#trust = createSecureContext({
      ca: [...(options.trusted ?? rootCertificates)],
      minVersion: "TLSv1.2",
    });
    this.#errorPrefix = options.errorPrefix ?? "egress: ";
    this.#handshakeMs = handshakeMs;
    const server = {
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
      requireHostHeader: true,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requestTimeout: 0,
      noDelay: true,
    };
    this.#server = createServer(server, (request, response) => this.#onRequest(request, response));
    this.#server.timeout = IDLE_MS;
    this.#server.on("clientError", (error, socket) => this.#onMalformed(error, socket as Socket));
  }

  /**
   * Serves the connection until it ends. Rejects when the handshake fails; then the caller closes the client.
   */
  async serve(connection: MitmConnection): Promise<void> {
    if (connection.client.destroyed) return;
    this.#count(connection);
    const socket = connection.protocol === "tls" ? await this.#accept(connection) : connection.client;
    const agent = new UpstreamAgent(connection, this.#trust);
    this.#connections.set(socket, { connection, agent, waiting: 0, response: null, last: Promise.resolve() });
    socket.on("error", () => socket.destroy());
    socket.once("close", () => agent.destroy());
    this.#server.emit("connection", socket);
  }

  /** Serves the requests of a connection in order; each starts when the previous one has its response. */
  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const open = this.#connections.get(socket);
    if (open === undefined || socket.destroyed || open.waiting >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    const { connection, agent } = open;
    const closed = new Promise<void>((resolve) => response.once("close", resolve)).then(() => {
      if (open.response === response) open.response = null;
    });
    open.waiting += 1;
    open.response = response;
    open.last = open.last
      .then(async () => {
        open.waiting -= 1;
        if (socket.destroyed) return;
        await forwardRequest({ connection, agent, request, response, errorPrefix: this.#errorPrefix });
        await closed;
      })
      .catch(() => void socket.destroy());
  }

  /** Responds before it closes the socket: destroying a stream at once drops the last write. */
  #onMalformed({ code = "" }: NodeJS.ErrnoException, socket: Socket): void {
    const isResponding = this.#connections.get(socket)?.response?.headersSent ?? false;
    if (isResponding || !socket.writable) socket.destroy();
    else
      socket.end(`HTTP/1.1 ${MALFORMED[code] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`, () =>
        socket.destroy(),
      );
  }

  /** Counts the connection until it ends. @throws Error when its owner has too many. */
  #count({ client, owner }: MitmConnection): void {
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_CONNECTIONS)
      throw new Error("a sandbox has too many connections to hosts of credentials.");
    this.#counts.set(owner, count + 1);
    client.once("close", () => this.#counts.set(owner, (this.#counts.get(owner) ?? 0) - 1));
  }

  async #accept({ client, name, owner }: MitmConnection): Promise<Socket> {
    const secureContext = await this.#authority.contextFor(name, owner);
    if (client.destroyed) throw new Error("The client has disconnected.");
    const socket = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols: HTTP11 });
    try {
      await once(socket, "secure", { signal: AbortSignal.timeout(this.#handshakeMs) });
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return socket;
  }
}
