import { outsideFaultScopes } from "@berth/concurrency";
import pg, { type PoolClient } from "pg";
import type { Logger } from "pino";
import { connectInTime } from "./connect-in-time.ts";
import { applySettings, clientConfig, type DatabaseAddress, lateSettings } from "./connection.ts";
import type { ConnectionState } from "./connection-metrics.ts";
import { DatabaseClient } from "./database-client.ts";
import { DatabaseUnavailableError } from "./database-error.ts";
import { execute, type Queryable } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

export type WritePool = Queryable & {
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  state(): ConnectionState;
  close(): Promise<void>;
};

/** Number of connections taken, and the total seconds of waiting for one. */
interface Waits {
  taken: number;
  waitedSeconds: number;
}

const IDLE_TIMEOUT_MS = 60_000;

/**
 * Opens a connection pool for writes and transactions. A caller waits up to 5 s for a free connection or for
 * a server that accepts writes.
 */
export function openWritePool(address: DatabaseAddress, max: number, log?: Pick<Logger, "debug">): WritePool {
  const config = clientConfig(address);
  const pool = new pg.Pool({
    ...config,
    Client: class extends DatabaseClient {
      constructor() {
        super(config);
      }
    },
    max,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    onConnect: (client) => applySettings(client, lateSettings(address)),
  });
  pool.on("error", (error) => log?.debug({ err: error }, "an idle database connection broke"));
  const waits: Waits = { taken: 0, waitedSeconds: 0 };
  const connect = () => connectInTime(config.servers, () => outsideFaultScopes(() => pool.connect()));
  return {
    query: (statement) => withClient(connect, waits, (client) => execute(client, statement)),
    transaction: (work) => withClient(connect, waits, (client) => inTransaction(client, work)),
    state() {
      const { totalCount, idleCount, waitingCount } = pool;
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, ...waits };
    },
    close: () => pool.end(),
  };
}

/**
 * Runs `work` with a connection. It discards a connection whose server did not respond, since the response
 * may still arrive.
 */
async function withClient<T>(
  connect: () => Promise<PoolClient>,
  waits: Waits,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const asked = performance.now();
  const client = await connect();
  waits.taken += 1;
  waits.waitedSeconds += (performance.now() - asked) / 1_000;
  let unusable = false;
  try {
    return await work(client);
  } catch (error) {
    unusable = error instanceof DatabaseUnavailableError;
    throw error;
  } finally {
    client.release(unusable);
  }
}
