import type { IncomingMessage } from "node:http";
import { errors } from "@berth/store/errors";
import { headerValues } from "./headers.ts";

/**
 * Rejects a request that a browser makes for another page than one of this service. It is for requests that count for what the browser
 * adds by itself, a cookie or the place that it is in.
 *
 * One that changes something names its origin, always. One that reads may come without, since browsers then send none; which page
 * causes it, they say in `Sec-Fetch-Site`, unless the service is reached by plain http. A person who types the address is no page.
 *
 * @param own the origin of the service for this request; null: it is for an unknown host.
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
