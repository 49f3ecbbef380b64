import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { connectInTime } from "./connect-in-time.ts";
import { clientConfig, type DatabaseAddress, directAddress } from "./connection.ts";
import { DatabaseClient, type DatabaseClientConfig } from "./database-client.ts";

export type ListenHandlers = {
  onPayload(payload: string, channel: string): void;
  /** Called after a lost connection was restored. Notifications in between are lost, so poll once. */
  onReconnect(): void;
};

export type Listener = {
  /**
   * Listens on a further channel. Resolves once the server has accepted that, or when the connection is lost.
   */
  add(channel: string): Promise<void>;
  remove(channel: string): void;
  close(): Promise<void>;
};

const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

/**
 * Listens for NOTIFY on channels, on its own connection, and reconnects whenever it breaks. Resolves once the
 * server has accepted LISTEN, so that every later notification is received.
 */
export async function listen(
  address: DatabaseAddress,
  channels: readonly string[],
  handlers: ListenHandlers,
  log: Logger,
): Promise<Listener> {
  const closing = new AbortController();
  const wanted = new Set(channels);
  const config = clientConfig(directAddress(address));
  let current = await connectInTime(config.servers, () => connect(config, wanted, handlers));

  async function reconnectForever(): Promise<void> {
    for (;;) {
      await current.ended;
      if (closing.signal.aborted) return;
      log.warn({ channels: [...wanted] }, "lost the connection that listens for notifications");
      const next = await connectAgain(config, wanted, handlers, closing.signal);
      if (next === undefined) return;
      current = next;
      handlers.onReconnect();
    }
  }

  const listening = reconnectForever();
  return {
    async add(channel) {
      wanted.add(channel);
      // A lost connection listens on all wanted channels when it is restored.
      await listenOn(current.client, [channel]).catch(() => undefined);
    },
    remove(channel) {
      wanted.delete(channel);
      current.client.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => undefined);
    },
    async close() {
      closing.abort();
      await current.client.end().catch(() => undefined);
      await listening;
    },
  };
}

type Connection = { client: DatabaseClient; ended: Promise<void> };

async function connect(
  config: DatabaseClientConfig,
  wanted: ReadonlySet<string>,
  handlers: ListenHandlers,
): Promise<Connection> {
  const client = new DatabaseClient(config);
  const ended = new Promise<void>((resolve) => {
    client.once("end", resolve);
    client.on("error", () => resolve());
  });
  client.on("notification", ({ payload, channel }) => handlers.onPayload(payload ?? "", channel));
  try {
    await client.connect();
    const listened = new Set<string>();
    // Other channels may be added meanwhile.
    for (let missing = [...wanted]; missing.length > 0; ) {
      await listenOn(client, missing);
      for (const channel of missing) listened.add(channel);
      missing = [...wanted].filter((channel) => !listened.has(channel));
    }
    return { client, ended };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function listenOn(client: DatabaseClient, channels: readonly string[]): Promise<void> {
  await client.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join("; "));
}

async function connectAgain(
  config: DatabaseClientConfig,
  wanted: ReadonlySet<string>,
  handlers: ListenHandlers,
  closing: AbortSignal,
): Promise<Connection | undefined> {
  const { count } = config.servers;
  for (let tries = 1; !closing.aborted; tries += 1) {
    const connection = await connect(config, wanted, handlers).catch(() => undefined);
    if (connection !== undefined && closing.aborted) await connection.client.end();
    else if (connection !== undefined) return connection;
    if (tries % count > 0) continue;
    const wait = Math.min(MIN_RETRY_MS * 2 ** (tries / count - 1), MAX_RETRY_MS);
    await pause(wait, undefined, { signal: closing }).catch(() => undefined);
  }
  return undefined;
}
