import type { IncomingMessage } from "node:http";
import { errors } from "@berth/store/errors";
import { headerValues } from "./headers.ts";

/**
 * Rejects a request that a browser makes for a page of another site. Used where a request has authority
 * through what the browser adds by itself, such as a cookie or access to the network.
 *
 * A request that changes something must have the service's origin. A request that reads may have none, since
 * browsers then send none. There `Sec-Fetch-Site` names the site, except over plain HTTP; it is `none` when a
 * person types the address.
 *
 * @param own the service's origin for this request; null when the request is for an unknown host.
 * @throws errors.unknownHost, errors.foreignOrigin
 */
export function checkOrigin(request: IncomingMessage, own: string | null): asserts own is string {
  if (own === null) throw errors.unknownHost(request.headers.host ?? "");
  const reads = request.method === "GET" || request.method === "HEAD";
  const origins = headerValues(request, "origin");
  if (reads ? origins.some((origin) => origin !== own) : origins.length !== 1 || origins[0] !== own)
    throw errors.foreignOrigin(own);
  const sites = headerValues(request, "sec-fetch-site");
  if (sites.some((site) => site !== "same-origin" && !(reads && site === "none")))
    throw errors.foreignOrigin(own);
}
