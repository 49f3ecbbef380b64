import { type DnsQuery, decodeQuery, dnsTypes, encodeAnswer, responseCodes } from "./dns-message.ts";
import { type HostName, parseHostName, printable } from "../names/host-name.ts";

/** What a namespace decides about a name: the address that stands for it, or null when it may not be reached. */
export type AddressFor = (name: HostName) => string | null;

/**
 * Answers one DNS message: a synthetic address for a name that may be reached, an empty answer for its other record
 * types, NXDOMAIN for every other name, null (say nothing) for what is not a query. `onDenied` hears the refused names.
 */
export function answerDns(
  message: Buffer,
  addressFor: AddressFor,
  onDenied: (name: string) => void,
): Buffer | null {
  const query = decodeQuery(message);
  if (query === null) return null;
  const name = parseHostName(query.name);
  const address = name === null ? null : addressFor(name);
  if (address === null) {
    if (name !== null && isServiceOf(name, addressFor))
      return encodeAnswer(query, responseCodes.nameError, null);
    onDenied(name ?? printable(query.name));
    return encodeAnswer(query, responseCodes.nameError, null);
  }
  return encodeAnswer(query, responseCodes.noError, isAddressQuestion(query) ? address : null);
}

/** Programs ask for `_service._protocol` of a host before they ask for the host itself; there is none, and nothing is refused. */
function isServiceOf(name: HostName, addressFor: AddressFor): boolean {
  const host = parseHostName(name.replace(/^(?:_[^.]*\.)+/, ""));
  return host !== null && host !== name && addressFor(host) !== null;
}

function isAddressQuestion(query: DnsQuery): boolean {
  return query.type === dnsTypes.A;
}
