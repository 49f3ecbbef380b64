import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { CONNECT_TIMEOUT_MS, clientConfig, type DatabaseAddress } from "./connection.ts";
import { databaseError, isStarting } from "./database-error.ts";
import { execute, type Queryable } from "./statement.ts";

export type ReadClients = Queryable & { close(): Promise<void> };

type Slot = { client: Promise<pg.Client> | undefined; inFlight: number };

const RETRY_INTERVAL_MS = 25;

/**
 * A few connections that pipeline reads: each query goes to the connection with the fewest in flight, without waiting for the
 * results before it. No transactions and no slow queries, since those behind them would wait. A broken connection is reopened
 * by the next query that is assigned to it.
 */
export function openReadClients(address: DatabaseAddress, count: number): ReadClients {
  const slots: Slot[] = Array.from({ length: count }, () => ({ client: undefined, inFlight: 0 }));
  let closed = false;
  return {
    async query(statement) {
      if (closed) throw new Error("The database is closed.");
      const slot = leastBusy(slots);
      slot.inFlight += 1;
      try {
        slot.client ??= connected(address, slot);
        return await execute(await slot.client, statement);
      } finally {
        slot.inFlight -= 1;
      }
    },
    async close() {
      closed = true;
      await Promise.all(slots.map(async (slot) => (await slot.client?.catch(() => undefined))?.end()));
    },
  };
}

function leastBusy(slots: readonly Slot[]): Slot {
  return slots.reduce((least, slot) => (slot.inFlight < least.inFlight ? slot : least));
}

function connected(address: DatabaseAddress, slot: Slot): Promise<pg.Client> {
  const connecting = connect(address, (client) => {
    if (slot.client === connecting) slot.client = undefined;
    client.end().catch(() => undefined);
  });
  connecting.catch(() => {
    if (slot.client === connecting) slot.client = undefined;
  });
  return connecting;
}

/** Waits up to 5 s for a server that is starting. `onBroken` is called once when the connection can no longer be used. */
async function connect(address: DatabaseAddress, onBroken: (client: pg.Client) => void): Promise<pg.Client> {
  const deadline = Date.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client({ ...clientConfig(address), pipeline: true });
    client.on("error", () => undefined);
    client.once("end", () => onBroken(client));
    try {
      await client.connect();
      return client;
    } catch (error) {
      client.end().catch(() => undefined);
      if (!isStarting(error) || Date.now() > deadline) throw databaseError(error);
    }
    await pause(RETRY_INTERVAL_MS);
  }
}
