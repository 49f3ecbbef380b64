import type { ClientConfig } from "pg";
import { DatabaseUnavailableError, databaseError, isRefused, isStarting } from "./database-error.ts";

/** One of the servers of an address. */
export interface Server {
  target: ClientConfig;
  /** Name for messages, without the password. */
  name: string;
  /** Whether the server may reject writes, which a connection then has to check. */
  mayBeStandby: boolean;
}

/**
 * The servers of an address, one of which accepts writes. Which one changes when a standby is promoted: after
 * a failed connection, the next one goes to the next server.
 */
export class Servers {
  readonly #servers: readonly [Server, ...Server[]];
  readonly #faults = new Map<Server, string>();
  #current: Server;

  constructor(servers: readonly [Server, ...Server[]]) {
    this.#servers = servers;
    this.#current = servers[0];
  }

  /** The server for the next connection. */
  get current(): Server {
    return this.#current;
  }

  get count(): number {
    return this.#servers.length;
  }

  accepted(server: Server): void {
    this.#current = server;
    this.#faults.clear();
  }

  /** Records a failure and moves on to the next server, unless another connection has already found one. */
  failed(server: Server, error: unknown): void {
    this.#faults.set(server, (error as Error).message);
    if (server !== this.#current) return;
    const next = this.#servers[(this.#servers.indexOf(server) + 1) % this.count];
    if (next !== undefined) this.#current = next;
  }

  /**
   * Returns true when another attempt may succeed soon: the server is starting or being promoted, or another
   * one may accept writes.
   */
  isWorthRetrying(error: unknown): boolean {
    if (isStarting(error)) return true;
    return this.count > 1 && !isRefused(error) && databaseError(error) instanceof DatabaseUnavailableError;
  }

  /**
   * Returns the error for the caller after the last failure. For several servers, it says what is wrong with
   * each.
   */
  fault(error: unknown): unknown {
    if (this.count === 1 || !this.isWorthRetrying(error)) return databaseError(error);
    const faults = this.#servers.flatMap((server) => {
      const fault = this.#faults.get(server);
      if (fault === undefined) return [];
      return fault.startsWith(server.name) ? [fault] : [`${server.name}: ${fault}`];
    });
    const message = `The database is not available: none of its servers accepts writes (${faults.join("; ")})`;
    return new DatabaseUnavailableError(message, { cause: error });
  }
}
