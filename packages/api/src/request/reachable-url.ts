import { isIP } from "node:net";
import { isPublicAddress } from "@berth/egress/address-guard";
import { isListedHost } from "@berth/egress/guarded-fetch";
import { errors } from "@berth/store/errors";

/**
 * Returns an address to which the service itself sends requests, if it may. What a name resolves to is checked
 * at each request.
 *
 * @param allowPrivate Hosts and networks with private addresses that may be reached, also over plain HTTP.
 * @param param Field of the body that has the address.
 * @throws errors.invalid, errors.httpNotAllowed, errors.privateAddress
 */
export function requireReachable(allowPrivate: readonly string[], param: string, url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null) throw errors.invalid(`Field '${param}' must be an https URL.`, param);
  if (isListed(allowPrivate, param, url)) return parsed;
  if (parsed.protocol === "http:") throw errors.httpNotAllowed(param, parsed.host);
  const host = parsed.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw errors.privateAddress(param, host);
  return parsed;
}

/** Returns whether the operator lists the host. @throws errors.invalid for one that is neither a name nor an address */
function isListed(allowPrivate: readonly string[], param: string, url: string): boolean {
  try {
    return isListedHost(allowPrivate, url);
  } catch {
    throw errors.invalid(`Field '${param}' must have the name or the address of a host.`, param);
  }
}
