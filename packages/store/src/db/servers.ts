import type { ClientConfig } from "pg";
import { DatabaseUnavailableError, databaseError, isRefused, isStarting } from "./database-error.ts";

/** One of the servers of an address. */
export interface Server {
  target: ClientConfig;
  /** As messages say it, without the password. */
  name: string;
  /** Whether it may be one that accepts no writes, which a connection has to find out. */
  mayBeStandby: boolean;
}

/**
 * The servers of an address, of which one accepts writes, and where connections are made. Which one that is changes when a standby is
 * promoted: a connection that fails sends the next one to the next server.
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

  /** Goes on to the next server, unless another connection has found one meanwhile. */
  failed(server: Server, error: unknown): void {
    this.#faults.set(server, (error as Error).message);
    if (server !== this.#current) return;
    const next = this.#servers[(this.#servers.indexOf(server) + 1) % this.count];
    if (next !== undefined) this.#current = next;
  }

  /** True when a further attempt may succeed at once: the server is starting or being promoted, or another one may accept writes. */
  isWorthRetrying(error: unknown): boolean {
    if (isStarting(error)) return true;
    return this.count > 1 && !isRefused(error) && databaseError(error) instanceof DatabaseUnavailableError;
  }

  /** What the caller is told of the last failure: of several servers, what is wrong with each. */
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
