import { randomInt } from "node:crypto";
import pg from "pg";
import { clientConfig, type DatabaseAddress, directAddress, isPooled } from "./connection.ts";
import { databaseError } from "./database-error.ts";
import { execute } from "./statement.ts";

/** Others may use the pooler at the same time, and hide what it does. */
const ROUNDS = 5;

/**
 * Checks that a pooler keeps a connection to the server for each client, as statements that are prepared once need, and that the way
 * around it leads to the same database. Does nothing without a pooler.
 *
 * @throws one sentence for the operator.
 */
export async function checkPooler(address: DatabaseAddress): Promise<void> {
  if (!isPooled(address)) return;
  const [one, other, direct] = [address, address, directAddress(address)].map(
    (to) => new pg.Client(clientConfig(to)),
  ) as [pg.Client, pg.Client, pg.Client];
  const clients = [one, other, direct];
  try {
    for (const client of clients) await connect(client);
    if (await sharesServers(one, other))
      throw new Error(
        "The pooler that BERTH_DATABASE_URL leads to gives each statement or transaction another connection of the server: set its pool_mode to session.",
      );
    if (!(await isSameDatabase(one, direct)))
      throw new Error(
        "BERTH_DATABASE_DIRECT_URL leads to another database than BERTH_DATABASE_URL: it must be the same one, without the pooler.",
      );
  } catch (error) {
    throw databaseError(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

async function connect(client: pg.Client): Promise<void> {
  client.on("error", () => undefined);
  await client.connect();
}

/** Whether a client changes its connection of the server, or has that of another one. */
async function sharesServers(one: pg.Client, other: pg.Client): Promise<boolean> {
  const first = await serverOf(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await serverOf(other)) === first || (await serverOf(one)) !== first) return true;
  }
  return false;
}

async function serverOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await execute<{ pid: number }>(client, { text: "select pg_backend_pid() as pid" });
  return rows[0]?.pid;
}

/** Advisory locks are those of one database. */
async function isSameDatabase(one: pg.Client, direct: pg.Client): Promise<boolean> {
  const values = [randomInt(2 ** 47)];
  await execute(direct, { text: "select pg_advisory_lock($1)", values });
  const text = "select pg_try_advisory_xact_lock($1) as free";
  const { rows } = await execute<{ free: boolean }>(one, { text, values });
  return rows[0]?.free === false;
}
