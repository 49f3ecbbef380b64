import pg, { type ClientConfig } from "pg";
import type { Server, Servers } from "./servers.ts";

export type DatabaseClientConfig = ClientConfig & { servers: Servers };

/**
 * A client of the server that is currently used. It connects only if that server accepts writes; otherwise
 * the next client tries the next server.
 */
export class DatabaseClient extends pg.Client {
  readonly #servers: Servers;
  readonly #server: Server;

  constructor({ servers, connectionTimeoutMillis = 0, ...config }: DatabaseClientConfig) {
    const server = servers.current;
    // Divide the time, so that a server that does not respond leaves time for the others.
    super({
      ...config,
      ...server.target,
      connectionTimeoutMillis: connectionTimeoutMillis / servers.count,
    });
    this.#servers = servers;
    this.#server = server;
    // Ignore the event, since the statements of a broken connection fail with the error.
    this.on("error", () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): undefined;
  override connect(callback?: (error: Error | null, client?: pg.Client) => void) {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then((client) => callback(null, client), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    try {
      await super.connect();
      if (this.#server.mayBeStandby) await this.#requireWrites();
      this.#servers.accepted(this.#server);
      return this;
    } catch (error) {
      this.#servers.failed(this.#server, error);
      // Do not wait, since a server that does not respond does not end the connection either.
      this.end().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Checks that the server accepts writes.
   * @throws an error with the code that a write would have.
   */
  async #requireWrites(): Promise<void> {
    const text =
      "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as refuses";
    const { rows } = await this.query<{ standby: boolean; refuses: boolean }>(text);
    if (rows[0]?.refuses === false) return;
    const why = rows[0]?.standby === true ? "it is a standby" : "default_transaction_read_only is on";
    const message = `${this.#server.name} accepts no writes: ${why}`;
    throw Object.assign(new Error(message), { code: "25006" });
  }
}
