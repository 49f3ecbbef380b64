import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What becomes of connections: `stall` is a network that drops everything, `deny` a database whose password has changed. */
type Mode = "pass" | "stall" | "deny";

/** Stands between a service and a PostgreSQL's Unix socket, at a port of its own, as the network does. */
export class DatabaseProxy {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  #mode: Mode = "pass";

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param url as in `databaseUrlOf`, with the directory of a socket as its host. */
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

  /** The same database by way of this proxy. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = `${(this.#server.address() as AddressInfo).port}`;
    through.search = "";
    return through.href;
  }

  /** From now on nothing arrives, in either direction, and no connection breaks. */
  stall(): void {
    this.#mode = "stall";
    for (const socket of this.#connections) socket.pause();
  }

  /** Breaks all connections. Whether what was sent last took effect, neither side knows. */
  break(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  /** Breaks all connections; from now on the server refuses the password. */
  deny(): void {
    this.#mode = "deny";
    this.break();
  }

  /** Everything arrives again, also what was sent meanwhile. */
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

/** Changes the proof of a client that it has the password (SCRAM), if it is in these bytes. */
function withoutProof(bytes: Buffer): Buffer {
  const proof = bytes.indexOf(",p=");
  if (proof < 0) return bytes;
  bytes[proof + 3] = bytes[proof + 3] === 0x41 ? 0x42 : 0x41;
  return bytes;
}
