import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { clientConfig, type DatabaseAddress } from "./connection.ts";

export type ListenHandlers = {
  onPayload(payload: string): void;
  /** The connection was away and is back: notices sent meanwhile are lost, so look for yourself. */
  onReconnect(): void;
};

export type Listener = { close(): Promise<void> };

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Hears NOTIFY on one channel, on a connection of its own that is opened again whenever it breaks. Settles when the
 * server has accepted the first LISTEN, so that what is notified afterwards is heard.
 */
export async function listen(
  address: DatabaseAddress,
  channel: string,
  handlers: ListenHandlers,
  log: Logger,
): Promise<Listener> {
  const closing = new AbortController();
  let current = await connect(address, channel, handlers);

  async function reconnectForEver(): Promise<void> {
    for (;;) {
      await current.ended;
      if (closing.signal.aborted) return;
      log.warn({ channel }, "the database's notices broke off");
      const next = await connectAgain(address, channel, handlers, closing.signal);
      if (next === undefined) return;
      current = next;
      handlers.onReconnect();
    }
  }

  const listening = reconnectForEver();
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
  client.on("notification", (notice) => handlers.onPayload(notice.payload ?? ""));
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
  for (let wait = SHORTEST_PAUSE_MS; !closing.aborted; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const connection = await connect(address, channel, handlers).catch(() => undefined);
    if (connection !== undefined && closing.aborted) await connection.client.end();
    else if (connection !== undefined) return connection;
    await pause(wait, undefined, { signal: closing }).catch(() => undefined);
  }
  return undefined;
}
