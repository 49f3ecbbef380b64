import { type HostName, parseHostName, printable } from "../names/host-name.ts";
import { DNS_TYPES, decodeQuery, encodeResponse, RESPONSE_CODES } from "./dns-message.ts";

/** Returns the address for a name, or null when no policy allows the name. */
export type AddressFor = (name: HostName) => string | null;

/**
 * Names that refer to the sandbox itself. Programs also ask for their IPv6 addresses, which are in no file.
 */
const OWN_NAMES: ReadonlySet<string> = new Set(["session", "localhost"]);

/**
 * Responds to one DNS message. The response is the loopback address for a name of the sandbox itself, the
 * synthetic address for an allowed name, no record for other record types of those names, and NXDOMAIN for
 * every other name. Returns null, which sends nothing, for a message that is not a query. Calls `onDenied`
 * with denied names.
 */
export function respondToQuery(
  message: Buffer,
  addressFor: AddressFor,
  onDenied: (name: string) => void,
): Buffer | null {
  const query = decodeQuery(message);
  if (query === null) return null;
  const name = parseHostName(query.name);
  const address = name === null ? null : OWN_NAMES.has(name) ? "127.0.0.1" : addressFor(name);
  if (address !== null) {
    return encodeResponse(query, RESPONSE_CODES.noError, query.type === DNS_TYPES.A ? address : null);
  }
  if (name === null || !isServiceOf(name, addressFor)) onDenied(name ?? printable(query.name));
  return encodeResponse(query, RESPONSE_CODES.nameError, null);
}

/**
 * Returns whether a name is `_service._protocol` of an allowed host. Programs look this up before the host
 * itself. It does not exist and is not reported as a denial.
 */
function isServiceOf(name: HostName, addressFor: AddressFor): boolean {
  const host = parseHostName(name.replace(/^(?:_[^.]*\.)+/, ""));
  return host !== null && host !== name && addressFor(host) !== null;
}
