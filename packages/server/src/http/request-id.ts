import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The request's `x-request-id` when it is 1 to 128 visible ASCII characters, else a UUID. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}

/** The headers by which every answer names its request. */
export function requestIdHeaders(requestId: string): Record<string, string> {
  return { "x-request-id": requestId, "request-id": requestId };
}
