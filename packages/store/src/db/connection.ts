import { readFile } from "node:fs/promises";
import type { ClientConfig, CustomTypesConfig } from "pg";
import pg from "pg";
import type { DatabaseClientConfig } from "./database-client.ts";
import { DATABASE_MILLISECONDS, noteDatabaseTime } from "./database-clock.ts";
import { parseTimestamp } from "./parse-timestamp.ts";
import { serverName, serverUrls } from "./server-urls.ts";
import { type Server, Servers } from "./servers.ts";

/**
 * The connection of clients to an embedded server. `host` is the directory of its Unix socket. The password
 * stays in its file.
 */
export type SocketConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  passwordFile: string;
};

/**
 * The embedded server's socket, or the operator's URL (`BERTH_DATABASE_URL`), which may contain a password
 * and name several servers. When `direct` is set, `url` leads to a pooler and `direct` bypasses it.
 */
export type DatabaseAddress = { connection: SocketConnection } | { url: string; direct?: string | null };

/** Milliseconds for opening a connection, and for waiting for a free one. */
export const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Milliseconds after which the server cancels a statement, and the client gives up. The client's is longer
 * and covers a server that is frozen.
 */
const STATEMENT_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 35_000;

/** Server settings of each connection, in milliseconds. */
const TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
};

/**
 * PostgreSQL's own defaults of settings that statements and the parsers of results depend on. An operator's
 * server, database or role may set them differently.
 */
const DEFAULTS = {
  timezone: "UTC",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  bytea_output: "hex",
  default_transaction_isolation: "read committed",
  lock_timeout: 0,
};

/**
 * Milliseconds of silence before keepalive probes. A vanished server is noticed after this and ten unanswered
 * probes, one second apart.
 */
const SILENCE_BEFORE_PROBES_MS = 10_000;

/**
 * Returns the settings of every client: timeouts, and 64-bit integers as numbers. Clients that share one such
 * object share their knowledge of the servers.
 */
export function clientConfig(address: DatabaseAddress): DatabaseClientConfig {
  return {
    servers: new Servers(serversOf(address)),
    application_name: "berth",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    ...(isPooled(address) ? {} : TIMEOUTS),
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_BEFORE_PROBES_MS,
    types: TYPES,
  };
}

/**
 * Returns the settings to apply after connecting: `DEFAULTS`, and behind a pooler also the timeouts, which
 * poolers reject at the start of a connection.
 */
export function lateSettings(address: DatabaseAddress): Readonly<Record<string, string | number>> {
  return isPooled(address) ? { ...DEFAULTS, ...TIMEOUTS } : DEFAULTS;
}

/**
 * Applies the settings to the connection, and reads the database's clock. It uses a statement, since an
 * operator's URL may contain its own `options`.
 */
export async function applySettings(
  client: Pick<pg.ClientBase, "query">,
  settings: Readonly<Record<string, string | number>>,
): Promise<void> {
  const { rows } = await client.query<{ now: number }>({
    text: `select set_config(key, value, false), ${DATABASE_MILLISECONDS} as now from json_each_text($1::json)`,
    values: [JSON.stringify(settings)],
  });
  const now = rows.at(-1)?.now;
  if (now !== undefined) noteDatabaseTime(now);
}

/** Returns whether the address leads through a pooler. */
export function isPooled(address: DatabaseAddress): boolean {
  return "url" in address && address.direct != null;
}

/**
 * Returns the address without the pooler, for a connection that listens or holds a lock from one statement to
 * the next.
 */
export function directAddress(address: DatabaseAddress): DatabaseAddress {
  return "url" in address && address.direct != null ? { url: address.direct } : address;
}

function serversOf(address: DatabaseAddress): readonly [Server, ...Server[]] {
  if (!("url" in address))
    return [{ target: socketTarget(address.connection), name: address.connection.host, mayBeStandby: false }];
  const [first = address.url, ...others] = serverUrls(address.url);
  const server = (url: string) => ({
    target: { connectionString: url },
    name: serverName(url),
    mayBeStandby: true,
  });
  return [server(first), ...others.map(server)];
}

/** Returns the client settings of a socket connection; the password is read from its file at each connect. */
export function socketTarget({ passwordFile, ...connection }: SocketConnection): ClientConfig {
  return { ...connection, password: () => readFile(passwordFile, "utf8"), ssl: false };
}

/**
 * Parsers of results. `bigint` columns (sequence numbers, byte counts) become numbers; a value beyond 2^53
 * throws. Everything else is pg's default: timestamptz a Date, json and jsonb parsed, numeric a string.
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
