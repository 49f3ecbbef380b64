import { Agent } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect, type SecureContext } from "node:tls";
import type { Destination } from "./proxied-credential.ts";

/** Thrown when the host could not be connected to. The failure has already been reported. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";
}

interface Upstream extends Destination {
  dial(): Promise<Socket | null>;
}

/** The upstream connections of one client connection: one at a time, kept alive between requests. */
export class UpstreamAgent extends Agent {
  readonly #upstream: Upstream;
  readonly #trust: SecureContext;
  #connecting: Socket | null = null;
  #ended = false;

  constructor(upstream: Upstream, trust: SecureContext) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.#upstream = upstream;
    this.#trust = trust;
  }

  override createConnection(
    _options: object,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    this.#connect().then(
      (socket) => callback?.(null, socket),
      (error: Error) => (callback as ((error: Error) => void) | undefined)?.(error),
    );
  }

  /** Ends the connection, including one that is being established. */
  override destroy(): void {
    this.#ended = true;
    this.#connecting?.destroy();
    super.destroy();
  }

  async #connect(): Promise<Socket> {
    const { name, protocol, dial } = this.#upstream;
    const socket = await dial();
    if (socket === null) throw new NotConnected("The host is denied or cannot be reached.");
    if (this.#ended) {
      socket.destroy();
      throw new NotConnected("The client has disconnected.");
    }
    this.#connecting = socket;
    return protocol === "tls" ? await this.#secure(socket, name) : socket;
  }

  async #secure(socket: Socket, name: string): Promise<Socket> {
    const secure = connect({
      socket,
      servername: name,
      secureContext: this.#trust,
      // An explicit value takes precedence over NODE_TLS_REJECT_UNAUTHORIZED of this process.
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
    });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    secure.once("secureConnect", resolve).once("error", reject);
    secure.once("close", () => reject(new Error("The host closed the connection during the TLS handshake.")));
    try {
      await promise;
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return secure;
  }
}
