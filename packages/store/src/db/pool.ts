import type { Logger } from "pino";
import { storeInBatches } from "./batches.ts";
import type { DatabaseAddress } from "./connection.ts";
import type { ConnectionState } from "./connection-metrics.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { followDatabaseClock } from "./database-clock.ts";
import { type Listener, type ListenHandlers, listen } from "./listen.ts";
import { openReadClients } from "./read-clients.ts";
import { openWritePool } from "./write-pool.ts";

/**
 * A database with the lifecycle of its connections. Code that only queries takes a `DatabaseAccess`, which
 * may be one transaction.
 */
export type Database = DatabaseAccess & {
  /** The address, for code that needs its own connections. */
  readonly address: DatabaseAddress;
  /** Listens for NOTIFY on the channels, reconnecting as needed, until closed. */
  listen(channels: readonly string[], handlers: ListenHandlers): Promise<Listener>;
  /** Returns the state of the connections for writes and transactions. */
  connections(): ConnectionState;
  /** Closes every connection, listeners included, after the running statements. Safe to call twice. */
  close(): Promise<void>;
};

export type DatabaseOptions = DatabaseAddress & {
  log: Logger;
  /** Number of connections for writes; default 10. */
  max?: number;
  /** Number of connections for reads; default 3. */
  readers?: number;
};

/** Opens a database. Each connection is opened when it is first needed. */
export function openDatabase(options: DatabaseOptions): Database {
  const write = openWritePool(options, options.max ?? 10, options.log);
  const read = openReadClients(options, options.readers ?? 3);
  const clock = followDatabaseClock(read);
  const listeners = new Set<Listener>();
  let closed: Promise<void> | undefined;
  return {
    address: addressOf(options),
    write,
    read,
    transaction: write.transaction,
    store: storeInBatches(write),
    connections: write.state,
    async listen(channels, handlers) {
      const listener = await listen(options, channels, handlers, options.log);
      listeners.add(listener);
      return listener;
    },
    close() {
      clock.close();
      closed ??= closeAll([...listeners, read, write]);
      return closed;
    },
  };
}

function addressOf(options: DatabaseAddress): DatabaseAddress {
  if ("connection" in options) return { connection: options.connection };
  const { url, direct = null } = options;
  return { url, direct };
}

async function closeAll(parts: ReadonlyArray<{ close(): Promise<void> }>): Promise<void> {
  await Promise.all(parts.map((part) => part.close()));
}
