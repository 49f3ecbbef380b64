import { setTimeout as pause } from "node:timers/promises";
import pg, { type PoolClient } from "pg";
import type { Logger } from "pino";
import {
  applySettings,
  CONNECT_TIMEOUT_MS,
  clientConfig,
  type DatabaseAddress,
  lateSettings,
} from "./connection.ts";
import type { ConnectionState } from "./connection-metrics.ts";
import { DatabaseUnavailableError, databaseError, isStarting } from "./database-error.ts";
import { execute, type Queryable } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

export type WritePool = Queryable & {
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  state(): ConnectionState;
  close(): Promise<void>;
};

/** How often a connection was taken, and how long that took. */
interface Waits {
  taken: number;
  waitedSeconds: number;
}

const RETRY_INTERVAL_MS = 25;
const IDLE_TIMEOUT_MS = 60_000;

/** A connection pool for writes and transactions. A caller waits up to 5 s for a free connection or for a starting server. */
export function openWritePool(address: DatabaseAddress, max: number, log: Logger): WritePool {
  const pool = new pg.Pool({
    ...clientConfig(address),
    max,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    onConnect: (client) => applySettings(client, lateSettings(address)),
  });
  pool.on("error", (error) => log.debug({ err: error }, "an idle database connection broke"));
  const waits: Waits = { taken: 0, waitedSeconds: 0 };
  return {
    query: (statement) => withClient(pool, waits, (client) => execute(client, statement)),
    transaction: (work) => withClient(pool, waits, (client) => inTransaction(client, work)),
    state() {
      const { totalCount, idleCount, waitingCount } = pool;
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, ...waits };
    },
    close: () => pool.end(),
  };
}

/** Discards a connection whose server did not respond: the response may still arrive. */
async function withClient<T>(
  pool: pg.Pool,
  waits: Waits,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const asked = performance.now();
  const client = await checkOut(pool);
  waits.taken += 1;
  waits.waitedSeconds += (performance.now() - asked) / 1_000;
  client.on("error", ignore);
  let unusable = false;
  try {
    return await work(client);
  } catch (error) {
    unusable = error instanceof DatabaseUnavailableError;
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(unusable);
  }
}

/** No statement was sent yet, so a short outage (a restart) causes a delay rather than an error. */
async function checkOut(pool: pg.Pool): Promise<PoolClient> {
  const deadline = Date.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isStarting(error) || Date.now() > deadline) throw databaseError(error);
    }
    await pause(RETRY_INTERVAL_MS);
  }
}

function ignore(): void {}
