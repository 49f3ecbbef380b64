import pg from "pg";
import { type SocketConnection, socketTarget } from "../connection.ts";
import { isRefused } from "../database-error.ts";

/**
 * The result of a connection attempt.
 *
 * - `busy`: the server is starting, recovering or shutting down.
 * - `denied`: the password is wrong or missing.
 * - `silent`: nothing listens.
 * - `ended`: the process is gone.
 */
export type ServerState = "ready" | "busy" | "denied" | "silent" | "ended";

const CANNOT_CONNECT_NOW = "57P03";
const NO_SUCH_DATABASE = "3D000";
const DUPLICATE_DATABASE = "42P04";

/** Connects once, and creates the database when the server lacks it. */
export async function probeServer(connection: SocketConnection): Promise<ServerState> {
  const state = await connectOnce(connection);
  if (state !== NO_SUCH_DATABASE) return state;
  await createDatabase(connection);
  return "ready";
}

async function connectOnce(connection: SocketConnection): Promise<ServerState | typeof NO_SUCH_DATABASE> {
  const client = new pg.Client({ ...socketTarget(connection), connectionTimeoutMillis: 5000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return "ready";
  } catch (error) {
    const { code, path } = error as { code?: string; path?: string };
    if (code === NO_SUCH_DATABASE) return NO_SUCH_DATABASE;
    if (isRefused(error) || path === connection.passwordFile) return "denied";
    return code === CANNOT_CONNECT_NOW ? "busy" : "silent";
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createDatabase(connection: SocketConnection): Promise<void> {
  const client = new pg.Client(socketTarget({ ...connection, database: "postgres" }));
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(connection.database)}`);
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
}
