import { randomInt } from "node:crypto";
import { connectInTime } from "./connect-in-time.ts";
import { clientConfig, type DatabaseAddress, directAddress, isPooled } from "./connection.ts";
import { DatabaseClient } from "./database-client.ts";
import { databaseError } from "./database-error.ts";
import { execute } from "./statement.ts";

/** Number of rounds of the check, since other clients that use the pooler meanwhile can hide what it does. */
const ROUNDS = 5;

/**
 * Checks that a pooler gives each client its own server connection, as prepared statements need, and that the
 * direct URL leads to the same database. Does nothing without a pooler.
 * @throws an error of one sentence for the operator.
 */
export async function checkPooler(address: DatabaseAddress): Promise<void> {
  if (!isPooled(address)) return;
  const clients: DatabaseClient[] = [];
  const connect = async (to: DatabaseAddress) => {
    const config = clientConfig(to);
    return await connectInTime(config.servers, async () => {
      const client = new DatabaseClient(config);
      await client.connect();
      clients.push(client);
      return client;
    });
  };
  try {
    const one = await connect(address);
    const other = await connect(address);
    const direct = await connect(directAddress(address));
    if (await sharesServers(one, other))
      throw new Error(
        "The pooler at BERTH_DATABASE_URL pools statements or transactions, not sessions: set its pool_mode to session.",
      );
    if (!(await isSameDatabase(one, direct)))
      throw new Error(
        "BERTH_DATABASE_DIRECT_URL leads to another database than BERTH_DATABASE_URL: it must lead to the same one, without the pooler.",
      );
  } catch (error) {
    throw databaseError(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** Returns whether a client changes its server connection, or shares one with the other client. */
async function sharesServers(one: DatabaseClient, other: DatabaseClient): Promise<boolean> {
  const first = await serverOf(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await serverOf(other)) === first || (await serverOf(one)) !== first) return true;
  }
  return false;
}

async function serverOf(client: DatabaseClient): Promise<number | undefined> {
  const { rows } = await execute<{ pid: number }>(client, { text: "select pg_backend_pid() as pid" });
  return rows[0]?.pid;
}

/** Compares the databases by an advisory lock, which is visible in one database only. */
async function isSameDatabase(one: DatabaseClient, direct: DatabaseClient): Promise<boolean> {
  const values = [randomInt(2 ** 47)];
  await execute(direct, { text: "select pg_advisory_lock($1)", values });
  const text = "select pg_try_advisory_xact_lock($1) as free";
  const { rows } = await execute<{ free: boolean }>(one, { text, values });
  return rows[0]?.free === false;
}
