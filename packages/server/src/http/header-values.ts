import type { IncomingMessage } from "node:http";

/** All values of a request's header, by its lower-case name. Node's own `headers` drops repeated ones. */
export function headerValues(request: Pick<IncomingMessage, "rawHeaders">, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
