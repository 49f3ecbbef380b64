import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import { DatabaseProxy } from "../../../tests/acceptance/harness/database-proxy.ts";
import type { SocketConnection } from "../src/db/connection.ts";
import { type Database, openDatabase } from "../src/db/pool.ts";
import { silentLog, type TestDatabase } from "./database.ts";

export interface DatabaseApart {
  db: Database;
  /** The connection to the database, which a test can cut. */
  network: DatabaseProxy;
  /** Closes the database. Called at the end of the test too. */
  close(): Promise<void>;
}

/** Opens the same database as a process on another machine does: through a separate network. */
export async function databaseApart(t: TestContext, { connection }: TestDatabase): Promise<DatabaseApart> {
  const url = urlOf(connection);
  const network = await DatabaseProxy.start(url);
  const db = openDatabase({ url: network.urlFor(url), log: silentLog });
  let closed: Promise<void> | undefined;
  const close = () => {
    network.pass();
    closed ??= db.close().then(() => network.stop());
    return closed;
  };
  t.after(close);
  return { db, network, close };
}

function urlOf({ host, port, user, database, passwordFile }: SocketConnection): string {
  const password = readFileSync(passwordFile, "utf8");
  return `postgres://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
