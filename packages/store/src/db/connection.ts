import { readFile } from "node:fs/promises";
import type { ClientConfig, CustomTypesConfig } from "pg";
import pg from "pg";
import type { DatabaseClientConfig } from "./database-client.ts";
import { DATABASE_MILLISECONDS, noteDatabaseTime } from "./database-clock.ts";
import { parseTimestamp } from "./parse-timestamp.ts";
import { serverName, serverUrls } from "./server-urls.ts";
import { type Server, Servers } from "./servers.ts";

/** How clients reach an embedded server: `host` is the directory of its Unix socket. The password stays in its file. */
export type SocketConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  passwordFile: string;
};

/**
 * The embedded server's socket, or the operator's URL (`BERTH_DATABASE_URL`), which may contain a password, and name several servers.
 * `direct`: that one leads to a pooler, and this one around it.
 */
export type DatabaseAddress = { connection: SocketConnection } | { url: string; direct?: string | null };

/** Limit for opening a connection and for waiting for a free one. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** The server cancels a statement after this. The client gives up a little later, in case the server is frozen. */
const STATEMENT_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 35_000;

/** Settings of the server for each connection, in milliseconds. */
const TIMEOUTS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
};

/**
 * PostgreSQL's own defaults of what statements, and the parsers of their results, depend on: a server, database or role of an operator
 * may have others.
 */
const DEFAULTS = {
  timezone: "UTC",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  bytea_output: "hex",
  default_transaction_isolation: "read committed",
  lock_timeout: 0,
};

/** A server that vanished without closing its connections is noticed after this and ten unanswered probes, a second apart. */
const SILENCE_BEFORE_PROBES_MS = 10_000;

/**
 * Settings of every client: timeouts, and 64-bit integers as numbers. Clients that are made with one such object share what they know of
 * the servers.
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

/** What a client that is connected has yet to set: the defaults below, and the timeouts of `clientConfig`, which poolers refuse. */
export function lateSettings(address: DatabaseAddress): Readonly<Record<string, string | number>> {
  return isPooled(address) ? { ...DEFAULTS, ...TIMEOUTS } : DEFAULTS;
}

/** Sets them for the connection, and looks at the server's clock. By a statement, since a URL of the operator may have its own `options`. */
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

export function isPooled(address: DatabaseAddress): boolean {
  return "url" in address && address.direct != null;
}

/** For what needs a connection of its own: it listens, or holds a lock from one statement to the next. */
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
