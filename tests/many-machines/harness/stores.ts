import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../../postgres-server/postgres-server.ts";
import { startS3Host } from "../../s3-host/s3-host.ts";

/** The server's connections. Six machines use up to 79, and commands need some. */
const CONNECTIONS = 150;

/** The shared stores of the machines, as settings. */
export interface Stores {
  BERTH_DATABASE_URL: string;
  BERTH_BLOBS: string;
}

/** Starts a PostgreSQL and an S3 server in a directory, with the data that earlier ones left there. */
export async function startStores(directory: string): Promise<{ stores: Stores; stop(): Promise<void> }> {
  const [postgres, s3] = await Promise.all([
    startPostgres({
      databases: ["berth"],
      connections: CONNECTIONS,
      directory: join(directory, "postgres-server"),
    }),
    startS3Host(join(directory, "s3")),
  ]);
  const stores = { BERTH_DATABASE_URL: postgres.url("berth"), BERTH_BLOBS: s3.place };
  writeFileSync(fileIn(directory), JSON.stringify(stores), { mode: 0o600 });
  return {
    stores,
    async stop() {
      s3.close();
      await postgres.stop();
    },
  };
}

/** Returns the settings of the stores in this directory, for commands; empty if there are none. */
export function storesIn(directory: string): Partial<Stores> {
  return existsSync(fileIn(directory)) ? JSON.parse(readFileSync(fileIn(directory), "utf8")) : {};
}

function fileIn(directory: string): string {
  return join(directory, "stores.json");
}
