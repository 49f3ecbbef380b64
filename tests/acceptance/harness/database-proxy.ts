import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * The handling of connections: `stall` is a network that drops all packets, `deny` a database whose password
 * has changed.
 */
type Mode = "pass" | "stall" | "deny";

/** A proxy between a service and PostgreSQL's Unix socket that simulates network faults, on its own port. */
export class DatabaseProxy {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #mode: Mode = "pass";

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts the proxy. @param url as from `databaseUrlOf`, with a socket's directory as its host. */
  static async start(url: string): Promise<DatabaseProxy> {
    const { port, searchParams } = new URL(url);
    const server = createServer();
    const proxy = new DatabaseProxy(server);
    server.on("connection", (client) =>
      proxy.#join(client, connect(`${searchParams.get("host")}/.s.PGSQL.${port}`)),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  /** Returns the URL of the same database through this proxy. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = `${(this.#server.address() as AddressInfo).port}`;
    through.search = "";
    return through.href;
  }

  /** Stops forwarding in both directions without breaking a connection. */
  stall(): void {
    this.#mode = "stall";
    for (const socket of this.#connections) socket.pause();
  }

  /** Breaks all connections. Neither side knows whether the last statements took effect. */
  break(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  /** Breaks all connections and makes the server reject the password from then on. */
  deny(): void {
    this.#mode = "deny";
    this.break();
  }

  /** Forwards again, including the data sent meanwhile. */
  pass(): void {
    this.#mode = "pass";
    for (const socket of this.#connections) socket.resume();
  }

  async stop(): Promise<void> {
    this.break();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#connections.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#connections.delete(from);
        to.destroy();
      });
      from.on("data", (bytes: Buffer) => to.write(this.#mode === "deny" ? withoutProof(bytes) : bytes));
      if (this.#mode === "stall") from.pause();
    }
  }
}

/** Corrupts a client's password proof (SCRAM) in these bytes, if they contain it. */
function withoutProof(bytes: Buffer): Buffer {
  const proof = bytes.indexOf(",p=");
  if (proof < 0) return bytes;
  bytes[proof + 3] = bytes[proof + 3] === 0x41 ? 0x42 : 0x41;
  return bytes;
}
