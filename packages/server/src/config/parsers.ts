import { isBlockedPort } from "@berth/contract/blocked-ports";
import { isS3Place, parseS3Place } from "@berth/store/names";

/** Parsers of single values. Each throws an Error with a clause that follows the name of the setting. */

export function nonEmpty(text: string): string {
  if (text === "") throw new Error("must not be empty");
  return text;
}

/** Validates `disk`, the absolute path of a directory, or the URL of a bucket. */
export function blobs(text: string): string {
  if (text === "disk" || text.startsWith("/")) return text;
  if (!isS3Place(text))
    throw new Error("must be 'disk', the absolute path of a directory or s3://bucket/prefix");
  parseS3Place(text);
  return text;
}

export function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`must be an integer from ${minimum} to ${maximum}`);
  };
}

/** Parses a port to listen on; 0 means any free port. */
export function listeningPort(text: string): number {
  const port = integer(0, 65_535)(text);
  if (!isBlockedPort(port)) return port;
  throw new Error(
    `must not be ${port}: browsers and other clients that use fetch refuse to connect to this port`,
  );
}

/** Parses a disk limit in MiB: 0, or a value in the range of an environment's `disk_mb`. */
export function diskMb(text: string): number {
  const value = integer(0, 1_048_576)(text);
  if (value === 0 || value >= 64) return value;
  throw new Error("must be 0 or at least 64");
}

/** Parses a number of processors, in the range of an environment's `cpus`. */
export function cpus(text: string): number {
  const value = /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0.1 && value <= 256) return value;
  throw new Error("must be a number from 0.1 to 256");
}

export function oneOf<const Value extends string>(...values: Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new Error(`must be one of ${values.join(", ")}`);
    return value;
  };
}

/** Parses at most 20 delays in seconds, which may have a fraction. An empty text means none. */
export function waits(text: string): number[] {
  const items = list(text);
  const isWait = (item: string) => /^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(item);
  if (items.length <= 20 && items.every(isWait)) return items.map(Number);
  throw new Error("must be a list of at most 20 numbers of seconds below 1000, such as 1,2,4");
}

/** Splits a text at commas and white space. */
export function list(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== "");
}

/** Validates an https URL without credentials, since agents can read it. */
export function httpsUrl(text: string): string {
  if (isPublicUrl(text, ["https:"])) return text;
  throw new Error("must be an https URL without credentials or a query");
}

/** Validates an http or https URL without credentials, since agents can read it. */
export function httpUrl(text: string): string {
  if (isPublicUrl(text, ["http:", "https:"])) return text;
  throw new Error("must be an http or https URL without credentials or a query");
}

function isPublicUrl(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  if (url === null || !protocols.includes(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && !/['\s]/.test(text);
}

/** Parses an http or https URL with nothing after the host and port. Returns it without a trailing slash. */
export function origin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url.origin;
  throw new Error("must be an http or https URL with nothing after the host and port");
}

/**
 * Parses an http or https URL whose host begins with `*.`, with nothing after the host and port. Returns it
 * without a trailing slash.
 */
export function wildcardOrigin(text: string): string {
  const [, scheme = "", rest = ""] = /^(https?:\/\/)\*\.([^*]+)$/i.exec(text) ?? [];
  const url = URL.parse(`${scheme}any.${rest}`);
  if (rest !== "" && url !== null && `${url.origin}/` === url.href) return url.origin.replace("any.", "*.");
  throw new Error("must have the form https://*.previews.example.com");
}

/** Parses the URL of a proxy; the scheme may be missing. The error does not quote a possible password. */
export function proxyUrl(text: string): string {
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(text) ? text : `http://${text}`);
  const isProxy = url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
  if (isProxy && isDecodable(url.username) && isDecodable(url.password)) return url.href;
  throw new Error("must have the form http://user:password@host:port");
}

/** Validates the URL of an SMTP relay. The error does not quote it, since it may contain a password. */
export function smtpUrl(text: string): string {
  const url = URL.parse(text);
  const isRelay =
    url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname);
  if (isRelay && url.search === "" && isDecodable(url.username) && isDecodable(url.password)) return text;
  throw new Error("must have the form smtps://user:password@host:port");
}

/** Validates a mail address, which may follow a name: `Berth <berth@example.com>`. */
export function mailAddress(text: string): string {
  if (/^([^<>@\r\n]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text)) return text;
  throw new Error("must be a mail address, such as berth@example.com");
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== "" || text === "";
  } catch {
    return false;
  }
}

/** Captures the hosts and the query. */
const DATABASE_URL = /^postgres(?:ql)?:\/\/(?=\S)(?:[^/?#\s]*@)?([^/?#\s]*)[^?\s]*(\S*)$/;
/** Values of libpq's `target_session_attrs` that select a server that accepts writes. */
const WITH_WRITES = [null, "read-write", "primary"];

/** Validates the URL of a database. The error does not quote it, since it may contain a password. */
export function databaseUrl(text: string): string {
  const [, list, query] = DATABASE_URL.exec(text) ?? [];
  if (list === undefined) throw new Error("must have the form postgres://user@host:port/database");
  const hosts = list.split(",");
  if (hosts.length > 1 && !hosts.every((host) => host !== "" && URL.canParse(`postgres://${host}/`)))
    throw new Error("must have the form postgres://user@host:port,host:port/database");
  if (!WITH_WRITES.includes(new URLSearchParams(query).get("target_session_attrs")))
    throw new Error("must have target_session_attrs=read-write or none, because Berth writes");
  return text;
}
