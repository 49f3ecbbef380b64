import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { clientConfig, type DatabaseAddress } from "./connection.ts";

export type ListenHandlers = {
  onPayload(payload: string): void;
  /** The connection was lost and is back. Notifications sent in between are lost, so poll now. */
  onReconnect(): void;
};

export type Listener = { close(): Promise<void> };

const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

/**
 * Listens for NOTIFY on one channel, on its own connection, and reconnects whenever it breaks. Resolves once the server has
 * accepted LISTEN, so every later notification is received.
 */
export async function listen(
  address: DatabaseAddress,
  channel: string,
  handlers: ListenHandlers,
  log: Logger,
): Promise<Listener> {
  const closing = new AbortController();
  let current = await connect(address, channel, handlers);

  async function reconnectForever(): Promise<void> {
    for (;;) {
      await current.ended;
      if (closing.signal.aborted) return;
      log.warn({ channel }, "lost the connection that listens for notifications");
      const next = await connectAgain(address, channel, handlers, closing.signal);
      if (next === undefined) return;
      current = next;
      handlers.onReconnect();
    }
  }

  const listening = reconnectForever();
  return {
    async close() {
      closing.abort();
      await current.client.end().catch(() => undefined);
      await listening;
    },
  };
}

type Connection = { client: pg.Client; ended: Promise<void> };

async function connect(
  address: DatabaseAddress,
  channel: string,
  handlers: ListenHandlers,
): Promise<Connection> {
  const client = new pg.Client(clientConfig(address));
  const ended = new Promise<void>((resolve) => {
    client.once("end", resolve);
    client.on("error", () => resolve());
  });
  client.on("notification", ({ payload }) => handlers.onPayload(payload ?? ""));
  try {
    await client.connect();
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    return { client, ended };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function connectAgain(
  address: DatabaseAddress,
  channel: string,
  handlers: ListenHandlers,
  closing: AbortSignal,
): Promise<Connection | undefined> {
  for (let wait = MIN_RETRY_MS; !closing.aborted; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
    const connection = await connect(address, channel, handlers).catch(() => undefined);
    if (connection !== undefined && closing.aborted) await connection.client.end();
    else if (connection !== undefined) return connection;
    await pause(wait, undefined, { signal: closing }).catch(() => undefined);
  }
  return undefined;
}
