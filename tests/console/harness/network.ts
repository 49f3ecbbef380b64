import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A network path from a browser to a service. Its address stays the same when the service is replaced, and it
 * can be cut.
 */
export class Network {
  readonly url: string;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #target: number;
  #isCut = false;

  private constructor(server: Server, target: number) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.#target = target;
  }

  /** Starts it. @param url of the service. */
  static async start(url: string): Promise<Network> {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const network = new Network(server, portOf(url));
    server.on("connection", (browser) => network.#join(browser));
    return network;
  }

  /** Routes new connections to another service. */
  leadTo(url: string): void {
    this.#target = portOf(url);
  }

  /** Breaks all connections, and refuses new ones until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#connections) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(browser: Socket): void {
    if (this.#isCut) {
      browser.destroy();
      return;
    }
    const service = connect(this.#target, "127.0.0.1");
    for (const [socket, other] of [
      [browser, service],
      [service, browser],
    ] as const) {
      this.#connections.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#connections.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
