declare const valid: unique symbol;

/** A DNS name in lower case, without trailing dot, that no resolver or URL parser can take for an address. */
export type HostName = string & { readonly [valid]: true };

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/**
 * Matches octal, decimal and hexadecimal numbers. Many parsers read names that end in one as IPv4 addresses.
 */
const number = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Parses a host name from a policy, a DNS question, a TLS hello or a Host header. Every name that is compared
 * or resolved is parsed here, so that no two callers can read one text differently. Upper case is folded.
 * Returns null for anything but plain ASCII labels: addresses in any notation, ports, user names, escapes,
 * empty labels, a trailing dot, unencoded international names.
 */
export function parseHostName(text: string): HostName | null {
  if (text.length === 0 || text.length > 253) return null;
  const name = asciiLowerCase(text);
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  return labels.every((part) => label.test(part)) && !number.test(last) ? (name as HostName) : null;
}

/** Folds only ASCII letters: `toLowerCase` would fold some others (the Kelvin sign) into ASCII ones. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Parses like `parseHostName`, for requests and TLS hellos, without the dot of a fully qualified name. */
export function parseRequestedHost(text: string): HostName | null {
  return parseHostName(text.endsWith(".") ? text.slice(0, -1) : text);
}

/** Returns a denied name in printable form: bytes outside printable ASCII become `?`. */
export function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "?").slice(0, 253);
}

/** Parses a decimal TCP port. Returns null for a sign, a space, a leading zero, or a number out of range. */
export function parsePort(text: string): number | null {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return null;
  const port = Number(text);
  return port <= 65_535 ? port : null;
}

/** Returns whether a name is `localhost` or below it. It must resolve to loopback addresses (RFC 6761). */
export function isLocalhost(name: HostName): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}

export interface HostPort {
  name: HostName;
  /** Port, or null when the text has none. */
  port: number | null;
}

/** Parses `name` or `name:port` of a policy. Returns null when either part is invalid. */
export function parseHostPort(text: string): HostPort | null {
  return parseParts(text, parseHostName);
}

/** Parses `name` or `name:port` of a request, with `parseRequestedHost`. Returns null for invalid text. */
export function parseRequestedHostPort(text: string): HostPort | null {
  return parseParts(text, parseRequestedHost);
}

function parseParts(text: string, parse: (host: string) => HostName | null): HostPort | null {
  const colon = text.indexOf(":");
  const name = parse(colon < 0 ? text : text.slice(0, colon));
  if (name === null) return null;
  if (colon < 0) return { name, port: null };
  const port = parsePort(text.slice(colon + 1));
  return port === null ? null : { name, port };
}
