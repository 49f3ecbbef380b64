import type { ClientConfig, CustomTypesConfig } from "pg";
import pg from "pg";

/** How clients reach an embedded server: `host` is the directory of its Unix socket. */
export type SocketConnection = { host: string; port: number; user: string; database: string };

/** An embedded server's socket, or the operator's URL (`BERTH_DATABASE_URL`), which may hold a password. */
export type DatabaseAddress = { connection: SocketConnection } | { url: string };

/** Nobody waits longer than this to be connected, or for a free connection. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** The server ends a statement after this; the client gives up a little later, for a server that is frozen. */
const STATEMENT_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 35_000;

/** Settings of every client: time limits, and numbers for 64-bit integers. */
export function clientConfig(address: DatabaseAddress): ClientConfig {
  return {
    ...target(address),
    application_name: "berth",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types,
  };
}

function target(address: DatabaseAddress): ClientConfig {
  return "url" in address ? { connectionString: address.url } : { ...address.connection, ssl: false };
}

/**
 * Values as JavaScript has them: `bigint` columns (sequence numbers, byte counts) are numbers, refused beyond 2^53;
 * the rest is pg's own (timestamptz a Date, json and jsonb parsed, numeric a string).
 */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === pg.types.builtins.INT8 && format !== "binary") return integer;
    return pg.types.getTypeParser(oid, format as "text");
  },
} as CustomTypesConfig;

function integer(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is beyond 2^53.`);
  return value;
}
