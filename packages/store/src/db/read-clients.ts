import { outsideFaultScopes } from "@berth/concurrency";
import { connectInTime } from "./connect-in-time.ts";
import { applySettings, clientConfig, type DatabaseAddress, lateSettings } from "./connection.ts";
import { DatabaseClient } from "./database-client.ts";
import { isClosing } from "./database-error.ts";
import { execute, type Queryable } from "./statement.ts";

export type ReadClients = Queryable & { close(): Promise<void> };

type Slot = { client: Promise<DatabaseClient> | undefined; inFlight: number };

type Connect = (onBroken: (client: DatabaseClient) => void) => Promise<DatabaseClient>;

/**
 * Planner settings of reads. Every read finds its rows by an index that also has their order, and joins each
 * by an index. The planner does not know that. Until a table has statistics, it takes a page for a small part
 * of the table, then reads and sorts all rows of the owner.
 *
 * Without sorts, bitmaps, sequential scans and joins of whole tables, only the index remains, whatever the
 * statistics say. The plan is then the same for all values, so it is made once per statement and connection.
 * Neither setting works alone: without statistics, the generic plan is the sort.
 *
 * JIT is off because a plan that cannot avoid a sort gets a prohibitive cost, which would make the server
 * compile it.
 */
const PLANNER_SETTINGS = {
  enable_sort: "off",
  enable_incremental_sort: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  enable_material: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
};

/**
 * Opens a few connections that pipeline reads. Each query goes to the connection with the fewest queries in
 * flight, without waiting for earlier results. Transactions and slow queries do not belong here, since later
 * queries would wait for them. The next query that is assigned to a broken connection reopens it.
 * `PLANNER_SETTINGS` says which reads are suitable.
 */
export function openReadClients(address: DatabaseAddress, count: number): ReadClients {
  const connect = connectTo(address);
  const slots: Slot[] = Array.from({ length: count }, () => ({ client: undefined, inFlight: 0 }));
  let closed = false;
  return {
    async query(statement) {
      if (closed) throw new Error("The database is closed.");
      const slot = leastBusy(slots);
      slot.inFlight += 1;
      slot.client ??= connected(connect, slot);
      const { client } = slot;
      try {
        return await execute(await client, statement);
      } catch (error) {
        if (isClosing(error) && slot.client === client) slot.client = undefined;
        throw error;
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

function connected(connect: Connect, slot: Slot): Promise<DatabaseClient> {
  const connecting = connect((client) => {
    if (slot.client === connecting) slot.client = undefined;
    client.end().catch(() => undefined);
  });
  connecting.catch(() => {
    if (slot.client === connecting) slot.client = undefined;
  });
  return connecting;
}

/** Returns a function that connects. It calls `onBroken` once when the connection can no longer be used. */
function connectTo(address: DatabaseAddress): Connect {
  const config = { ...clientConfig(address), pipeline: true };
  const settings = { ...PLANNER_SETTINGS, ...lateSettings(address) };
  return (onBroken) =>
    connectInTime(config.servers, async () => {
      const client = new DatabaseClient(config);
      client.once("end", () => onBroken(client));
      try {
        await outsideFaultScopes(() => client.connect());
        await applySettings(client, settings);
        return client;
      } catch (error) {
        client.end().catch(() => undefined);
        throw error;
      }
    });
}
