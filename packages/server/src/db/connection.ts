import { readFile } from "node:fs/promises";
import type { ClientConfig, CustomTypesConfig } from "pg";
import pg from "pg";
import { parseTimestamp } from "./parse-timestamp.ts";

/** How clients reach an embedded server: `host` is the directory of its Unix socket. The password stays in its file. */
export type SocketConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  passwordFile: string;
};

/** The embedded server's socket, or the operator's URL (`BERTH_DATABASE_URL`), which may contain a password. */
export type DatabaseAddress = { connection: SocketConnection } | { url: string };

/** Limit for opening a connection and for waiting for a free one. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** The server cancels a statement after this. The client gives up a little later, in case the server is frozen. */
const STATEMENT_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 35_000;

/** Settings of every client: timeouts, and 64-bit integers as numbers. */
export function clientConfig(address: DatabaseAddress): ClientConfig {
  return {
    ...target(address),
    application_name: "berth",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    types: TYPES,
  };
}

function target(address: DatabaseAddress): ClientConfig {
  return "url" in address ? { connectionString: address.url } : socketTarget(address.connection);
}

export function socketTarget({ passwordFile, ...connection }: SocketConnection): ClientConfig {
  return { ...connection, password: () => readFile(passwordFile, "utf8"), ssl: false };
}

/**
 * `bigint` columns (sequence numbers, byte counts) become numbers; a value beyond 2^53 throws. Everything else is pg's default
 * (timestamptz a Date, json and jsonb parsed, numeric a string).
 */
const TYPES: CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === pg.types.builtins.INT8 && format !== "binary") return integer;
    if (oid === pg.types.builtins.TIMESTAMPTZ && format !== "binary") return parseTimestamp;
    return pg.types.getTypeParser(oid, format as "text");
  },
} as CustomTypesConfig;

function integer(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} is beyond 2^53.`);
  return value;
}
