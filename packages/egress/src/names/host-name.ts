declare const valid: unique symbol;

/** A DNS name in lower case, without trailing dot, that no resolver or URL parser can take for an address. */
export type HostName = string & { readonly [valid]: true };

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Octal, decimal and hexadecimal numbers: a name that ends in one is an IPv4 address to many parsers. */
const number = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Reads a host name as it stands in a policy, a DNS question, a TLS hello or a Host header. Everything that is
 * compared or resolved goes through here, so that no two places can read one text differently.
 * Null for anything but plain ASCII labels: addresses in any notation, ports, user names, escapes, empty labels,
 * a trailing dot, unencoded international names. Upper case is folded.
 */
export function parseHostName(text: string): HostName | null {
  if (text.length === 0 || text.length > 253) return null;
  const name = asciiLowerCase(text);
  const labels = name.split(".");
  const last = labels.at(-1) ?? "";
  return labels.every((part) => label.test(part)) && !number.test(last) ? (name as HostName) : null;
}

/** Not `toLowerCase`, which folds some letters beyond ASCII (the Kelvin sign) into ASCII ones. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * A host as programs write it in a request or a TLS hello: `parseHostName`, with one trailing dot taken off, which says that
 * the name is whole.
 */
export function parseAskedHost(text: string): HostName | null {
  return parseHostName(text.endsWith(".") ? text.slice(0, -1) : text);
}

/** A refused name as it is shown to people: bytes beyond printable ASCII become `?`. */
export function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "?").slice(0, 253);
}

/** A decimal TCP port without sign, space or leading zero; null otherwise. */
export function parsePort(text: string): number | null {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return null;
  const port = Number(text);
  return port <= 65_535 ? port : null;
}

export interface HostPort {
  name: HostName;
  /** Null: none was given. */
  port: number | null;
}

/** `name` or `name:port`, as they stand in a policy; null when either part is not valid. */
export function parseHostPort(text: string): HostPort | null {
  return parseParts(text, parseHostName);
}

/** The same as it stands in a request: `parseAskedHost`. */
export function parseAskedHostPort(text: string): HostPort | null {
  return parseParts(text, parseAskedHost);
}

function parseParts(text: string, parse: (host: string) => HostName | null): HostPort | null {
  const colon = text.indexOf(":");
  const name = parse(colon < 0 ? text : text.slice(0, colon));
  if (name === null) return null;
  if (colon < 0) return { name, port: null };
  const port = parsePort(text.slice(colon + 1));
  return port === null ? null : { name, port };
}
