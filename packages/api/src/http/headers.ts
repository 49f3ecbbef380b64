import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Returns all values of a header, by its lower-case name. Node's `headers` drops repeated ones. */
export function headerValues(request: Pick<IncomingMessage, "rawHeaders">, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** Returns the request's `x-request-id` if it is 1 to 128 visible ASCII characters, else a new UUID. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}

/** Headers that keep browsers from running, sniffing or framing a response. */
const CLOSED = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Returns the headers of every response: its request id, and restrictions for browsers. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { "x-request-id": requestId, "request-id": requestId, ...CLOSED };
}

/** Returns the first product of a `User-Agent`, such as `berth-cli/1.0.0`; null when there is none. */
export function productOf(userAgent: string | undefined): string | null {
  return /^[\w.-]{1,64}(\/[\w.+-]{1,64})?/.exec(userAgent ?? "")?.[0] ?? null;
}
